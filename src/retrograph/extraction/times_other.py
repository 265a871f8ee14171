"""Dates in German, French, Spanish, Italian and Russian, as far as a table of words carries.

A month with its year, a day of a month, yesterday, last week. Asked only where the grammars of English and Chinese
read nothing.
"""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re
from collections.abc import Callable
from re import Match

from retrograph.extraction import times_calendar as cal
from retrograph.extraction.times_calendar import Clock, Local, Rule

# A word of each language for each month, in the order of the year; stems where the ending varies.
_MONTHS = (
    "januar jänner janvier enero gennaio январ[ьяе]",
    "februar février fevrier febrero febbraio феврал[ьяе]",
    "märz maerz mars marzo марта?е?",
    "april avril abril aprile апрел[ьяе]",
    "mai mayo maggio ма[йяе]",
    "juni juin junio giugno июн[ьяе]",
    "juli juillet julio luglio июл[ьяе]",
    "august août aout agosto августа?е?",
    "september septembre septiembre setiembre settembre сентябр[ьяе]",
    "oktober octobre octubre ottobre октябр[ьяе]",
    "november novembre noviembre ноябр[ьяе]",
    "dezember décembre decembre diciembre dicembre декабр[ьяе]",
)
_DAYS = {
    "gestern": -1,
    "hier": -1,
    "ayer": -1,
    "ieri": -1,
    "вчера": -1,
    "vorgestern": -2,
    "avant-hier": -2,
    "anteayer": -2,
    "позавчера": -2,
    "heute": 0,
    "aujourd'hui": 0,
    "hoy": 0,
    "oggi": 0,
    "сегодня": 0,
    "demain": 1,
    "mañana": 1,
    "domani": 1,
    "завтра": 1,
}
_LAST = (
    (
        "week",
        r"letzte[nrs]? woche|la semaine (?:derni[eè]re|pass[eé]e)|la semana pasada|la settimana scorsa|la scorsa settimana|(?:на )?прошл(?:ая|ой|ую) недел[яеюи]",
    ),
    (
        "month",
        r"letzte[nrs]? monat|le mois (?:dernier|pass[eé])|el mes pasado|il mese scorso|lo scorso mese|(?:в )?прошл(?:ый|ом) месяце?",
    ),
    (
        "year",
        r"letzte[nrs]? jahr|l'ann[eé]e (?:derni[eè]re|pass[eé]e)|l'an dernier|el año pasado|l'anno scorso|lo scorso anno|(?:в )?прошл(?:ый|ом) год[у]?",
    ),
    (
        "weekend",
        r"letzte[ns]? wochenende|le week-?end dernier|el fin de semana pasado|lo scorso (?:fine settimana|weekend)|(?:на )?прошл(?:ые|ых) выходны[ех]",
    ),
)
_UNITS = (
    ("day", r"tage?n?|jours?|d[ií]as?|giorn[oi]|д(?:ень|ня|ней)"),
    ("week", r"wochen?|semaines?|semanas?|settiman[ae]|недел[юия]|недель"),
    ("month", r"monate?n?|mois|mes(?:es)?|mes[ei]|месяц(?:а|ев)?"),
    ("year", r"jahre?n?|ans?|ann[eé]es?|años?|ann[oi]|год(?:а)?|лет"),
)


def _rule(name: str, pattern: str, resolve: "Callable[[Match[str], Clock], Local | None]") -> Rule:
    return Rule(name, re.compile(rf"(?<![\w\-]){pattern}(?![\w\-])", re.IGNORECASE), resolve)


def _month_rules(number: int, words: str) -> tuple[Rule, Rule]:
    names = "|".join(words.split())
    month = rf"(?:de |du |di |del )?(?:{names})\.?"

    def in_month(match: "Match[str]", _: Clock) -> Local | None:
        return cal.month(int(match["year"]), number)

    def on_day(match: "Match[str]", clock: Clock) -> Local | None:
        day, year = int(match["day"]), match["year"]
        if year:
            return cal.date(int(year), number, day)
        return cal.yearless(clock, lambda y: cal.date(y, number, day))

    year = r"(?:,? (?:de |del )?(?P<year>(?:19|20)\d\d)(?: года?)?)"
    return (
        _rule("month", rf"{month}{year}", in_month),
        _rule("date", rf"(?P<day>[12]?\d|3[01])(?:\.|er|º|°)? {month}{year}?", on_day),
    )


def _day(match: "Match[str]", clock: Clock) -> Local | None:
    return cal.day_of(clock.now + cal.DAY * _DAYS[match.group().lower()])


def _last(unit: str) -> "Callable[[Match[str], Clock], Local | None]":
    return lambda _, clock: cal.whole(clock, unit, -1)


def _ago(unit: str) -> "Callable[[Match[str], Clock], Local | None]":
    return lambda match, clock: cal.moved(clock, unit, -int(match["before"] or match["after"]))


RULES: tuple[Rule, ...] = (
    *(rule for number, words in enumerate(_MONTHS, start=1) for rule in _month_rules(number, words)),
    _rule("named day", "|".join(sorted(_DAYS, key=len, reverse=True)).join(("(?:", ")")), _day),
    *(_rule("unit", f"(?:{pattern})", _last(unit)) for unit, pattern in _LAST),
    *(
        _rule(
            "ago",
            rf"(?:(?:vor|il y a|hace) (?P<before>\d{{1,3}}) (?:{names})|(?P<after>\d{{1,3}}) (?:{names}) (?:fa|назад))",
            _ago(unit),
        )
        for unit, names in _UNITS
    ),
)
