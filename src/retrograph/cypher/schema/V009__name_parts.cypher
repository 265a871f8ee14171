// Parts of names, and names without their accents: recall walks them, they are no entities.
CYPHER 25 CREATE CONSTRAINT name_part_key IF NOT EXISTS FOR (p:NamePart) REQUIRE (p.bank, p.key) IS UNIQUE
