"""Rules by name."""

import pytest

from katachi.errors import KatachiError
from katachi.rules.ruleset import RULESETS, KoRule, Rules, rules_by_name


def test_the_default_is_positional_superko_without_suicide() -> None:
    assert Rules() == Rules(KoRule.POSITIONAL, suicide=False) == RULESETS["katachi"]


@pytest.mark.parametrize(
    ("name", "ko", "suicide"),
    [
        ("cgos", KoRule.POSITIONAL, False),
        ("tromp-taylor", KoRule.POSITIONAL, True),
        ("chinese", KoRule.SIMPLE, False),
        ("aga", KoRule.SITUATIONAL, False),
        ("new-zealand", KoRule.SITUATIONAL, True),
        ("simple-ko", KoRule.SIMPLE, False),
    ],
)
def test_each_ruleset_has_its_ko_and_suicide_rule(name: str, ko: KoRule, suicide: bool) -> None:
    assert rules_by_name(name) == Rules(ko, suicide)


@pytest.mark.parametrize("name", ["Tromp-Taylor", "TROMP_TAYLOR", " tromp_taylor "])
def test_case_and_underscores_do_not_matter(name: str) -> None:
    assert rules_by_name(name) == RULESETS["tromp-taylor"]


@pytest.mark.parametrize("name", ["", "japanese", "tromp taylor"])
def test_an_unknown_ruleset_is_one_clear_line_with_the_choices(name: str) -> None:
    with pytest.raises(KatachiError) as caught:
        rules_by_name(name)
    assert str(caught.value).startswith(f"no ruleset {name!r}: choose from katachi, cgos, ")
    assert "\n" not in str(caught.value)
