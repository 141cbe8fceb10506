import pytest

from vectr_hooks.core.settings import DEFAULTS
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.configuration import current, history, set_value, unset_value


def test_a_new_store_has_the_defaults(con):
    assert current(con) == DEFAULTS
    assert history(con) == []


def test_the_newest_value_of_a_key_holds(con):
    set_value(con, "budget.turn", "500", 1)
    set_value(con, "budget.turn", 600, 2)
    set_value(con, "enabled", "off", 3)
    assert current(con) == {**DEFAULTS, "budget.turn": 600, "enabled": False}


def test_unsetting_gives_the_default_back_and_keeps_the_history(con):
    set_value(con, "budget.turn", "500", 1)
    set_value(con, "enabled", "no", 2)
    unset_value(con, "budget.turn", 3)
    assert current(con)["budget.turn"] == DEFAULTS["budget.turn"]
    assert [(change.at, change.value) for change in history(con, "budget.turn")] == [(1, "500"), (3, None)]
    assert [change.key for change in history(con)] == ["budget.turn", "enabled", "budget.turn"]


@pytest.mark.parametrize(
    ("key", "value"), [("budget.turns", "1"), ("budget.turn", "many"), ("enabled", "perhaps")]
)
def test_what_is_not_allowed_is_refused_and_not_stored(con, key, value):
    with pytest.raises(VectrHooksError) as refused:
        set_value(con, key, value, 1)
    assert refused.value.hint
    assert history(con) == []


def test_an_unknown_key_cannot_be_unset(con):
    with pytest.raises(VectrHooksError, match="unknown setting"):
        unset_value(con, "budget", 1)
