"""``bundle.py``: modules as one plain script."""

from __future__ import annotations

import pytest

from cadenza.play import page
from cadenza.play.page.bundle import bundle, needed


def _bundled(**modules: str) -> str:
    return bundle("main.js", lambda name: modules[name.removesuffix(".js")])


def test_a_module_stands_after_all_that_it_needs_and_once() -> None:
    script = _bundled(
        main='import { two } from "cadenza/b.js";\nimport { one as first } from "cadenza/a.js";\nconsole.log(first, two);',
        b='import "cadenza/a.js";\nexport const two = 2;',
        a="export function one() {}\nexport class One {}\nconst own = 1;",
    )

    assert (
        script
        == """\
"use strict";
(() => {
const _a = (() => {
function one() {}
class One {}
const own = 1;
return { one, One };
})();
const _b = (() => {

const two = 2;
return { two };
})();
const _main = (() => {
const { two } = _b;
const { one: first } = _a;
console.log(first, two);
return {  };
})();
})();
"""
    )


@pytest.mark.parametrize(
    "text",
    [
        'import * as all from "cadenza/a.js";',
        'export { a } from "cadenza/a.js";',
        "export default 1;",
        "export let changing = 1;",
        'import "elsewhere";',
        'const end = "</script>";',
        "// <!--",
    ],
)
def test_what_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"main\.js cannot be put into a script"):
        _bundled(main=text, a="")


def test_modules_that_need_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="main → a → main need each other"):
        _bundled(main='import "cadenza/a.js";', a='import "cadenza/main.js";')


def test_every_module_of_the_page_can_be_put_into_a_script() -> None:
    for name in page.names():
        if name.endswith(".js"):
            assert bundle(name, lambda found: page.asset(found).decode())


def test_what_a_module_needs_comes_before_it_and_once() -> None:
    modules = {
        "main": 'import "cadenza/a.js";\nimport { c } from "cadenza/c.js";',
        "a": 'import "cadenza/c.js";',
        "c": "",
    }

    assert ("c.js", "a.js", "main.js") == needed("main.js", lambda name: modules[name.removesuffix(".js")])
