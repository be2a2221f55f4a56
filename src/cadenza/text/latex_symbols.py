"""LaTeX's names of signs, and what stands for them in Unicode."""

from __future__ import annotations


def _named(pairs: str) -> dict[str, str]:
    """A mapping of names to signs, from words that alternate."""
    words = pairs.split()
    return dict(zip(words[::2], words[1::2], strict=True))


LETTERS = _named(
    "alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ "
    "nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ psi ψ "
    "omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω infty ∞ partial ∂ nabla ∇ "
    "ell ℓ hbar ℏ hslash ℏ imath ı jmath ȷ Re ℜ Im ℑ aleph ℵ beth ℶ wp ℘ emptyset ∅ varnothing ∅ forall ∀ exists ∃ "
    "nexists ∄ neg ¬ lnot ¬ top ⊤ bot ⊥ angle ∠ measuredangle ∡ triangle △ square □ Box □ blacksquare ■ qed ∎ degree ° "
    "circ ∘ prime ′ dag † dagger † ddagger ‡ star ⋆ ast ∗ bullet • dots … ldots … cdots ⋯ vdots ⋮ ddots ⋱ dotsc … dotsb ⋯ "
    "checkmark ✓ complement ∁ surd √ flat ♭ sharp ♯ natural ♮ heartsuit ♥ spadesuit ♠ clubsuit ♣ diamondsuit ♦ copyright © "
    "pounds £ S § P ¶ AA Å aa å o ø O Ø ss ß ae æ AE Æ euro € yen ¥ textdegree ° lbrace { rbrace } backslash \\ "
    "Vert ‖ vert | lvert | rvert | lVert ‖ rVert ‖ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lbrack [ rbrack ] "
    "mho ℧ eth ð Bbbk 𝕜 digamma ϝ"
)
OPENING = frozenset("([{⟨⌊⌈")
CLOSING = frozenset(")]}⟩⌋⌉!")
BINARY = _named(
    "pm ± mp ∓ times × div ÷ cdot · cdotp · ast ∗ star ⋆ circ ∘ bullet • cap ∩ cup ∪ sqcap ⊓ sqcup ⊔ uplus ⊎ vee ∨ lor ∨ "
    "wedge ∧ land ∧ setminus ∖ smallsetminus ∖ oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙ amalg ⨿ wr ≀ bmod mod "
    "rtimes ⋊ ltimes ⋉ intercal ⊺ barwedge ⊼ veebar ⊻ diamond ⋄ bigtriangleup △"
)
RELATIONS = _named(
    "leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ ll ≪ gg ≫ approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ asymp ≍ doteq ≐ prec ≺ "
    "succ ≻ preceq ⪯ succeq ⪰ leqslant ⩽ geqslant ⩾ lesssim ≲ gtrsim ≳ coloneqq ≔ triangleq ≜ in ∈ notin ∉ ni ∋ "
    "subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ supsetneq ⊋ nsubseteq ⊈ sqsubseteq ⊑ sqsupseteq ⊒ mid | nmid ∤ "
    "parallel ∥ nparallel ∦ perp ⊥ vdash ⊢ dashv ⊣ models ⊨ vDash ⊨ Vdash ⊩ to → rightarrow → leftarrow ← gets ← "
    "leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ impliedby ⟸ iff ⟺ mapsto ↦ longmapsto ⟼ "
    "longrightarrow ⟶ longleftarrow ⟵ Longrightarrow ⟹ Longleftarrow ⟸ Longleftrightarrow ⟺ longleftrightarrow ⟷ "
    "hookrightarrow ↪ hookleftarrow ↩ rightharpoonup ⇀ rightleftharpoons ⇌ leftrightharpoons ⇋ uparrow ↑ downarrow ↓ "
    "updownarrow ↕ Uparrow ⇑ Downarrow ⇓ nearrow ↗ searrow ↘ swarrow ↙ nwarrow ↖ leadsto ⇝ rightsquigarrow ⇝ "
    "therefore ∴ because ∵ bowtie ⋈ lt < gt > trianglelefteq ⊴ lhd ⊲ between ≬ approxeq ≊ colon :"
)
LARGE = _named(
    "sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ oiint ∯ bigcup ⋃ bigcap ⋂ bigvee ⋁ bigwedge ⋀ bigoplus ⨁ "
    "bigotimes ⨂ bigsqcup ⨆ bigodot ⨀"
)
FUNCTIONS = frozenset(
    [
        *("sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "coth"),
        *("log", "ln", "lg", "exp", "lim", "max", "min", "sup", "inf", "arg", "det", "dim", "ker", "deg", "gcd", "lcm"),
        *("hom", "Pr", "limsup", "liminf", "argmax", "argmin", "tr", "sgn", "rank", "diag", "span", "erf"),
    ]
)
SPACES = {
    **dict.fromkeys(
        [",", ";", ":", " ", "quad", "qquad", "enspace", "thinspace", "medspace", "\n", ">", "hspace"], " "
    ),
    **dict.fromkeys(["!", "negthinspace", "/", "nobreak", "allowbreak"], ""),
}
IGNORED = frozenset(
    [
        *("displaystyle", "textstyle", "scriptstyle", "scriptscriptstyle", "limits", "nolimits", "nonumber", "notag"),
        *("left", "right", "middle", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr"),
        *("Biggl", "Biggr", "bigm", "Bigm", "rm", "it", "bf", "sf", "tt", "mathstrut", "strut", "hline", "centering"),
        *("normalsize", "large", "Large", "small", "relax", "mathopen", "mathclose"),
    ]
)
CHARACTERS = _named("{ { } } % % $ $ # # & & _ _ | ‖")
"""What a backslash in front of a sign means."""

ACCENTS = _named(
    "hat \u0302 widehat \u0302 bar \u0304 tilde \u0303 widetilde \u0303 vec \u20d7 dot \u0307 ddot \u0308 dddot \u20db "
    "check \u030c breve \u0306 acute \u0301 grave \u0300 mathring \u030a overrightarrow \u20d7"
)
LINES = _named("overline \u0305 underline \u0332 cancel \u0338 bcancel \u0338")
"""Accents that every character beneath them gets."""

SUPERSCRIPT = dict(
    zip(
        "0123456789+−-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθφχ′∘°†*∗",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ′°°†**",
        strict=True,
    )
) | {"⊤": "ᵀ", "⊥": "⊥", "‡": "‡"}
SUBSCRIPT = dict(zip("0123456789+−-=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True))
FRACTIONS = _named("1/2 ½ 1/3 ⅓ 2/3 ⅔ 1/4 ¼ 3/4 ¾ 1/5 ⅕ 2/5 ⅖ 3/5 ⅗ 4/5 ⅘ 1/6 ⅙ 5/6 ⅚ 1/8 ⅛ 3/8 ⅜ 5/8 ⅝ 7/8 ⅞")

_STYLE_STARTS = {"bf": 0x1D400, "scr": 0x1D49C, "frak": 0x1D504, "bb": 0x1D538}
"""Where Unicode's letters in a style begin: A to Z, then a to z."""
_DIGIT_STARTS = {"bf": 0x1D7CE, "bb": 0x1D7D8}
_ELSEWHERE = {
    "scr": _named("B ℬ E ℰ F ℱ H ℋ I ℐ L ℒ M ℳ R ℛ e ℯ g ℊ o ℴ"),
    "frak": _named("C ℭ H ℌ I ℑ R ℜ Z ℨ"),
    "bb": _named("C ℂ H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ"),
}
STYLES = {"mathbb": "bb", "mathcal": "scr", "mathscr": "scr", "mathfrak": "frak"} | dict.fromkeys(
    ["mathbf", "boldsymbol", "bm", "pmb", "symbf"], "bf"
)
"""Commands for letters in a style of their own."""


def styled(text: str, style: str) -> str:
    """*text* with its letters and digits in *style*; other characters stay."""
    return "".join(_styled(character, style) for character in text)


def _styled(character: str, style: str) -> str:
    if elsewhere := _ELSEWHERE.get(style, {}).get(character):
        return elsewhere
    if "A" <= character <= "Z":
        return chr(_STYLE_STARTS[style] + ord(character) - ord("A"))
    if "a" <= character <= "z":
        return chr(_STYLE_STARTS[style] + 26 + ord(character) - ord("a"))
    if "0" <= character <= "9" and style in _DIGIT_STARTS:
        return chr(_DIGIT_STARTS[style] + ord(character) - ord("0"))
    return character
