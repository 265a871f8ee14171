"""Chinese feasts: those of a fixed day, and those of the lunar calendar for the years of a table."""

from retrograph.extraction import times_calendar as cal
from retrograph.extraction.times_calendar import Local

# Month, day, length in days.
_FIXED = {
    "元旦": (1, 1, 1),
    "情人节": (2, 14, 1),
    "妇女节": (3, 8, 1),
    "植树节": (3, 12, 1),
    "愚人节": (4, 1, 1),
    "五一": (5, 1, 5),
    "劳动节": (5, 1, 5),
    "青年节": (5, 4, 1),
    "儿童节": (6, 1, 1),
    "建党节": (7, 1, 1),
    "建军节": (8, 1, 1),
    "教师节": (9, 10, 1),
    "国庆": (10, 1, 7),
    "十一假期": (10, 1, 7),
    "万圣节": (10, 31, 1),
    "双十一": (11, 11, 1),
    "双十二": (12, 12, 1),
    "平安夜": (12, 24, 1),
    "圣诞": (12, 25, 1),
}
_FIRST_YEAR = 2015
# Month and day in the Gregorian calendar, a column for each year from 2015 on.
_LUNAR = {
    "春节": "0219 0208 0128 0216 0205 0125 0212 0201 0122 0210 0129 0217 0206 0126 0213 0203",
    "端午": "0620 0609 0530 0618 0607 0625 0614 0603 0622 0610 0531 0619 0609 0528 0616 0605",
    "中秋": "0927 0915 1004 0924 0913 1001 0921 0910 0929 0917 1006 0925 0915 1003 0922 0912",
}
_SPRING_FESTIVAL_DAYS = 7
_OTHER_NAMES = {"大年初一": "春节", "农历新年": "春节"}
NAMES = (
    "元旦|情人节|妇女节|植树节|愚人节|五一(?!一)|劳动节|青年节|儿童节|建党节|建军节|教师节|国庆节?|十一假期|"
    "万圣节|双十一|双十二|平安夜|圣诞节?|春节|大年初一|农历新年|除夕|端午节?|中秋节?|清明节?(?!上河)"
)
"""What a pattern looks for; each is known to `feast`."""

CUES = "节|元旦|国庆|十一|五一|双十|平安夜|圣诞|大年|新年|除夕|端午|中秋|清明"
"""Of which one stands in every name."""


def feast(name: str, year: int) -> Local | None:
    """The days of a feast in a year; None for one of the lunar calendar outside 2015 to 2030."""
    name = _OTHER_NAMES.get(name, name)
    for key in (name, name.removesuffix("节")):
        if key in _FIXED:
            month, day, length = _FIXED[key]
            start = cal.date(year, month, day)
            return (start[0], start[0] + cal.DAY * length) if start else None
        if key in _LUNAR or key == "除夕":
            return _lunar(key, year)
    return _clear_and_bright(year) if name.startswith("清明") else None


def _lunar(name: str, year: int) -> Local | None:
    days = _LUNAR["春节" if name == "除夕" else name].split()
    index = year - _FIRST_YEAR
    if not 0 <= index < len(days):
        return None
    day = cal.date(year, int(days[index][:2]), int(days[index][2:]))
    if day is None:
        return None
    if name == "除夕":
        return day[0] - cal.DAY, day[0]
    return (day[0], day[0] + cal.DAY * _SPRING_FESTIVAL_DAYS) if name == "春节" else day


def _clear_and_bright(year: int) -> Local | None:
    """清明, when the sun stands at 15 degrees: 4 or 5 April; holds from 2000 to 2099."""
    short = year - 2000
    return cal.date(year, 4, int(short * 0.2422 + 4.81) - short // 4) if 0 <= short < 100 else None
