from __future__ import annotations

from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Limits
from cadenza.types import Boundary, Identity, Post, Receipt

MAD = Identity("Ren", "mad.png")


async def test_what_is_sent_is_kept_in_order() -> None:
    target = MemoryTarget()
    posts = [Post("a", Boundary.NEWLINE, 1.5), Post("b", Boundary.FINAL, identity=MAD, label="Ren (mad): ")]

    for post in posts:
        await target.send(post)

    assert posts == target.posts
    assert target.texts == ["a", "b"]


async def test_every_post_gets_a_receipt_of_its_own() -> None:
    target = MemoryTarget()
    post = Post("a", Boundary.FINAL, identity=MAD)

    assert [Receipt(post, "1", identity=MAD), Receipt(post, "2", identity=MAD)] == [
        await target.send(post) for _ in range(2)
    ]


async def test_typing_leaves_no_trace() -> None:
    target = MemoryTarget()

    await target.typing(None)
    await target.typing(MAD)

    assert target.posts == []


def test_its_limits_are_discords_unless_told() -> None:
    assert (Limits(), Limits(100)) == (MemoryTarget().limits, MemoryTarget(limits=Limits(100)).limits)


def test_two_targets_share_nothing() -> None:
    first, second = MemoryTarget(), MemoryTarget()
    first.posts.append(Post("a", Boundary.FINAL))

    assert second.texts == []
