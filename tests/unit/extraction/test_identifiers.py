from itertools import pairwise

import pytest

from retrograph.extraction.identifiers import identifiers


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("see src/billing/invoice.py and ~/notes.md", ["src/billing/invoice.py", "~/notes.md"]),
        ("配置在/etc/nginx/nginx.conf里，别改.env文件", ["/etc/nginx/nginx.conf", ".env"]),
        (r"open C:\Users\ann\plan.docx", [r"C:\Users\ann\plan.docx"]),
        ("go to https://example.com/a?b=1, then s3://bucket/key.", ["https://example.com/a?b=1", "s3://bucket/key"]),
        ("mail ops@example.org or ping 10.2.3.4:8080", ["ops@example.org", "10.2.3.4:8080"]),
        ("PAY-482 fixes CVE-2024-3094 in v2.7.1", ["PAY-482", "CVE-2024-3094", "v2.7.1"]),
        ("set DATABASE_URL or $HOME", ["DATABASE_URL", "$HOME"]),
        ("flush_cache() raises KeyError from std::map", ["flush_cache()", "KeyError", "std::map"]),
        ("ECONNRESET on prod-db-2, HTTP 502, error 0x80070057", ["ECONNRESET", "prod-db-2", "HTTP 502", "0x80070057"]),
        ("rig7 and web-eu-1 run commit 9f8e7d6", ["rig7", "web-eu-1", "9f8e7d6"]),
        ("请检查user_profile表", ["user_profile"]),
        ("123e4567-e89b-12d3-a456-426614174000", ["123e4567-e89b-12d3-a456-426614174000"]),
    ],
)
def test_identifiers_are_found_whole(text, names):
    assert [span.name for span in identifiers(text)] == names


@pytest.mark.parametrize(
    "text",
    [
        "We ship it and/or they do, 24/7.",
        "The budget is 80,000 and grew 3.5 % in 2024.",
        "It was a well-known mother-in-law story, e.g. on page 12.",
        "Mp3 files and the top10 list from Q3 use UTF-8.",
        "phase-2 of twenty-20",
        "今天是2024年3月5日，气温20度。",
        "Dr. Smith met Mr. Lee at 10:30.",
        "",
    ],
)
def test_identifiers_are_not_seen_in_plain_words_and_numbers(text):
    assert identifiers(text) == []


def test_identifiers_stand_where_they_say_and_do_not_overlap():
    text = "PAY-482: deploy api.acme.io v2.0.1 from /srv/app/release.tar.gz, 然后重启web-1。"
    spans = identifiers(text)
    assert all(text[span.start : span.end] == span.name for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
