import pytest

from vectr_hooks.core.setting_values import parse_value
from vectr_hooks.core.settings import DEFAULTS, DOCUMENTED, effective
from vectr_hooks.errors import VectrHooksError


def test_every_setting_is_documented_in_one_line():
    assert list(DOCUMENTED) == list(DEFAULTS)
    assert all(text and "\n" not in text for text in DOCUMENTED.values())


def test_without_rows_the_defaults_hold_and_stay_untouched():
    settings = effective([])
    assert settings == DEFAULTS
    settings["budget.turn"] = 1
    assert DEFAULTS["budget.turn"] == 800


def test_a_stored_text_takes_the_type_of_its_default():
    settings = effective([("enabled", "false"), ("budget.turn", "0")])
    assert settings["enabled"] is False
    assert settings["budget.turn"] == 0
    assert type(settings["budget.turn"]) is int


def test_the_last_row_of_a_key_wins_and_none_sets_the_default_again():
    assert effective([("budget.turn", "5"), ("budget.turn", "6")])["budget.turn"] == 6
    assert effective([("budget.turn", "5"), ("budget.turn", None)])["budget.turn"] == 800


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("nonsense", "1"),
        ("enabled", "maybe"),
        ("enabled", ""),
        ("budget.turn", "many"),
        ("budget.turn", "-1"),
        ("budget.turn", "1.5"),
        ("budget.turn", ""),
        ("budget.turn", "٣"),
        ("budget.turn", "9" * 5000),
        ("budget.bytes", "20000"),
    ],
)
def test_unknown_keys_and_unreadable_texts_change_nothing(key, text):
    assert effective([(key, text)]) == DEFAULTS


@pytest.mark.parametrize(
    ("key", "value", "stored"),
    [
        ("enabled", "off", "false"),
        ("enabled", "Yes", "true"),
        ("enabled", False, "false"),
        ("feedback", "on", "true"),
        ("budget.turn", "1200", "1200"),
        ("budget.turn", " 007 ", "7"),
        ("budget.turn", 0, "0"),
        ("cap.decision", "00", "0"),
        ("budget.bytes", 9500, "9500"),
    ],
)
def test_a_value_is_stored_as_a_text_that_reads_back(key, value, stored):
    assert parse_value(key, value) == stored
    expected = stored == "true" if isinstance(DEFAULTS[key], bool) else int(stored)
    assert effective([(key, stored)])[key] == expected


@pytest.mark.parametrize(
    ("key", "value", "message", "hint"),
    [
        ("budget.trun", "5", "unknown setting `budget.trun`", "did you mean `budget.turn`?"),
        ("colour", "5", "unknown setting `colour`", "allowed: enabled, feedback"),
        ("enabled", "perhaps", "`enabled` is a switch", "true, on, yes, false, off, no"),
        ("enabled", 1, "`enabled` is a switch", "true, on, yes"),
        ("budget.turn", "-5", "not negative", "the default is 800"),
        ("budget.turn", -5, "not negative", "the default is 800"),
        ("budget.turn", "5.0", "whole number", "the default is 800"),
        ("budget.turn", 5.0, "whole number", "the default is 800"),
        ("budget.turn", True, "whole number", "the default is 800"),
        ("budget.turn", "", "whole number", "the default is 800"),
        ("budget.turn", None, "whole number", "the default is 800"),
        ("budget.turn", [5], "whole number", "the default is 800"),
        ("budget.bytes", "12000", "at most 9500", "the default is 9500"),
        ("budget.turn", "9" * 400, "at most", "the default is 800"),
    ],
)
def test_a_value_that_cannot_hold_is_refused_with_what_is_allowed(key, value, message, hint):
    with pytest.raises(VectrHooksError) as caught:
        parse_value(key, value)
    assert message in caught.value.message
    assert hint in caught.value.hint
