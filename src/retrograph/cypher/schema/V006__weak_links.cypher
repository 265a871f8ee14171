// Weak links are found by their strength.
CYPHER 25 CREATE RANGE INDEX link_strength IF NOT EXISTS FOR ()-[l:LINKS]-() ON (l.strength)
