import json
import os
import stat
from pathlib import Path

import pytest

from pyagent_tui.policy.guarded import GUARDED
from pyagent_tui.policy.trust import Trust, TrustError, TrustStore, answer_trust, decide_trust

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and modes of POSIX")


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "config" / "trust.json")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with settings of its own."""
    folder = tmp_path / "src" / "shop"
    (folder / ".pyagent").mkdir(parents=True)
    (folder / ".pyagent" / "config.toml").write_text("")
    return folder


def plain(tmp_path: Path) -> Path:
    folder = tmp_path / "plain"
    folder.mkdir(exist_ok=True)
    return folder


def test_a_project_that_brings_nothing_is_trusted(tmp_path: Path, store: TrustStore) -> None:
    assert decide_trust(plain(tmp_path), store) == Trust(True, "nothing to guard")
    (plain(tmp_path) / ".pyagent").mkdir()
    assert decide_trust(plain(tmp_path), store, can_ask=False).trusted
    assert not store.path.exists()


@pytest.mark.parametrize("name", GUARDED)
def test_each_guarded_thing_needs_a_decision_and_is_named(tmp_path: Path, store: TrustStore, name: str) -> None:
    thing = plain(tmp_path) / ".pyagent" / name
    thing.parent.mkdir()
    thing.symlink_to(tmp_path / "nowhere")
    assert decide_trust(plain(tmp_path), store) == Trust(None, None, (thing,))


def test_shared_skills_above_count_but_not_the_persons_own(tmp_path: Path, store: TrustStore) -> None:
    home = tmp_path / "home"
    project = home / "src" / "shop"
    project.mkdir(parents=True)
    (home / ".agents" / "skills").mkdir(parents=True)
    assert decide_trust(project, store, home=home).trusted
    (home / "src" / ".agents" / "skills").mkdir(parents=True)
    assert decide_trust(project, store, home=home) == Trust(None, None, (home / "src" / ".agents" / "skills",))


def test_without_a_person_nobody_trusts_silently(project: Path, store: TrustStore) -> None:
    found = decide_trust(project, store, can_ask=False)
    assert (found.trusted, found.source) == (False, "nobody to ask")
    assert found.guarded == (project / ".pyagent" / "config.toml",)


def test_the_option_wins_over_everything(project: Path, store: TrustStore) -> None:
    store.save(project, False)
    assert decide_trust(project, store, option=True, can_ask=False).trusted
    store.save(project, True)
    assert decide_trust(project, store, option=False, default="always").trusted is False


def test_the_nearest_saved_decision_counts_also_through_a_link(
    project: Path, store: TrustStore, tmp_path: Path
) -> None:
    store.save(project.parent, True)
    assert decide_trust(project, store, can_ask=False) == Trust(True, "saved", (project / ".pyagent/config.toml",))
    store.save(project, False)
    assert decide_trust(project, store).trusted is False
    link = tmp_path / "link"
    link.symlink_to(project)
    assert decide_trust(link, store).trusted is False
    store.save(link, True)
    assert decide_trust(project, store).trusted is True
    assert decide_trust(project.parent, store).trusted is True


def test_a_saved_no_holds_also_with_nothing_to_guard(tmp_path: Path, store: TrustStore) -> None:
    store.save(plain(tmp_path), False)
    assert decide_trust(plain(tmp_path), store).trusted is False


def test_the_setting_speaks_where_nobody_decided(project: Path, store: TrustStore) -> None:
    assert decide_trust(project, store, default="always", can_ask=False).trusted is True
    assert decide_trust(project, store, default="never").trusted is False
    store.save(project, False)
    assert decide_trust(project, store, default="always").trusted is False


def test_answers_are_kept_as_far_as_they_say(project: Path, store: TrustStore) -> None:
    assert answer_trust(project, store, "once") is True
    assert answer_trust(project, store, "refuse-once") is False
    assert not store.path.exists()
    assert answer_trust(project, store, "refuse") is False
    assert decide_trust(project, store).trusted is False
    assert answer_trust(project, store, "trust") is True
    assert decide_trust(project, store).trusted is True
    assert answer_trust(project, store, "trust-parent") is True
    assert json.loads(store.path.read_text()) == {str(project.parent): True, str(project): True}


def test_the_file_is_private(project: Path, store: TrustStore) -> None:
    store.save(project, True)
    store.path.chmod(0o644)
    store.save(project, False)
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"/a": "yes"}', b"\xff\xfe", b"[" * 100_000])
def test_a_broken_file_is_an_error_and_is_not_overwritten(project: Path, store: TrustStore, data: bytes) -> None:
    store.path.parent.mkdir()
    store.path.write_bytes(data)
    with pytest.raises(TrustError, match=r"trust\.json"):
        decide_trust(project, store)
    with pytest.raises(TrustError):
        store.save(project, True)
    assert store.path.read_bytes() == data


def test_a_folder_name_that_is_no_utf8_can_be_decided_about(tmp_path: Path, store: TrustStore) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    odd.mkdir()
    store.save(odd, True)
    assert store.nearest(odd) is True
