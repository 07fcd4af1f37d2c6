import pytest

from pyagent_tui.providers.think_tags import ThinkTags


def divided(pieces: list[str]) -> tuple[str, str]:
    tags = ThinkTags()
    both = [tags.feed(piece) for piece in pieces] + [tags.flush()]
    return "".join(thinking for thinking, _ in both), "".join(text for _, text in both)


@pytest.mark.parametrize(
    ("whole", "expected"),
    [
        ("<think>hm\n</think>\n\nanswer", ("hm\n", "answer")),
        ("\n<think></think>answer", ("", "answer")),
        ("<think>never closed", ("never closed", "")),
        ("plain <think>x</think>", ("", "plain <think>x</think>")),
        ("<thing>", ("", "<thing>")),
        ("<thi", ("", "<thi")),
        ("<think>a </thin b</think>c </think>", ("a </thin b", "c </think>")),
        ("", ("", "")),
    ],
)
def test_reasoning_in_tags_is_told_from_the_answer_however_it_is_cut(whole: str, expected: tuple[str, str]):
    assert divided([whole]) == expected
    assert divided(list(whole)) == expected
    for size in (2, 3, 5):
        assert divided([whole[start : start + size] for start in range(0, len(whole), size)]) == expected
