/**
 * The model's own text, token by token, with what became of each part.
 *
 * Only a window of it is in the page; it follows the reader, or the newest token.
 */
import { clear, el } from "cadenza/dom.js";
import { colourOf } from "cadenza/lanes.js";
import { named } from "cadenza/said.js";
import { partsOf } from "cadenza/turns.js";
import { say } from "cadenza/words_inside.js";

const WINDOW = 2400; // tokens in the page at the most
const SHIFT = 800; // by how many the window goes on
const RUN = 60; // least tokens of a block, so that not everything is laid out again for each token
const CLOSE = 24; // pixels from the end that count as being at the end

const SETTLED = new Set(["sent", "fate", "thought"]);

let made = 0; // so that each strip names its tokens for itself

/** The text of one reply, in `root`. */
export class Strip {
  #turn = null;
  #time = 0;
  #first = 0;
  #tokens = []; // {node, key} of each token in the window
  #count = 0; // how many had come by now
  #active = -1;
  #chosen = {};
  #version = -1;
  #mayChange = true; // whether also what is settled may look different now

  /**
   * @param {HTMLElement} root
   * @param {{onPick: (selection: object) => void}} handlers
   */
  constructor(root, { onPick }) {
    this.onPick = onPick;
    this.prefix = `strip-${(made += 1)}-`;
    this.title = el("h3");
    this.about = el("p", { class: "dim small" });
    this.earlier = el("button", { class: "quiet small", type: "button", hidden: true, on: { click: () => this.#shift(-SHIFT) } });
    this.later = el("button", { class: "quiet small", type: "button", hidden: true, on: { click: () => this.#shift(SHIFT) } });
    this.box = el("div", {
      class: "strip-text", role: "listbox", tabIndex: 0,
      on: { keydown: (event) => this.#key(event), click: (event) => this.#click(event) },
    });
    this.scroller = el("div", { class: "strip", on: { scroll: () => this.#scrolled() } }, this.earlier, this.box, this.later);
    root.append(this.title, this.about, this.scroller);
    this.relabel();
  }

  relabel() {
    this.title.textContent = say("strip.title");
    this.about.textContent = say("strip.about");
    this.earlier.textContent = `↑ ${say("strip.earlier")}`;
    this.later.textContent = `↓ ${say("strip.later")}`;
    this.box.setAttribute("aria-label", say("strip.label"));
    this.#render();
  }

  /**
   * @param {object} turn
   * @param {number} time
   * @param {{message: string|null, token: number|null}} chosen what is selected
   */
  show(turn, time, chosen) {
    const isOther = turn !== this.#turn;
    const isFollowing = isOther || (this.#isAtEnd() && this.#last() >= this.#count);
    const isSame = !isOther && turn.version === this.#version && chosen === this.#chosen && time === this.#time;
    if (isSame) return;
    const hasGoneBack = time < this.#time;
    this.#mayChange = hasGoneBack || chosen !== this.#chosen;
    this.#turn = turn;
    this.#time = time;
    this.#chosen = chosen;
    this.#version = turn.version;
    this.#count = turn.tokens.heardAt(time);
    if (isOther) this.#active = -1;
    if (isOther || hasGoneBack) this.#first = Math.min(isOther ? Infinity : this.#first, Math.max(0, this.#count - WINDOW + SHIFT));
    if (isOther) this.#render();
    this.#update(isFollowing);
  }

  /** Bring a token into sight. */
  reveal(index) {
    if (index < 0 || index >= this.#count) return;
    if (index < this.#first || index >= this.#last()) {
      this.#first = Math.max(0, index - Math.floor(WINDOW / 2));
      this.#render();
    }
    this.#scrollTo(this.#tokens[index - this.#first]?.node);
  }

  /** Only the strip itself scrolls, never the page around it. */
  #scrollTo(node) {
    if (!node) return;
    const [box, token] = [this.scroller.getBoundingClientRect(), node.getBoundingClientRect()];
    if (token.top >= box.top && token.bottom <= box.bottom) return;
    this.scroller.scrollTop += token.top - box.top - box.height / 3;
  }

  #isAtEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.scroller;
    return scrollTop + clientHeight >= scrollHeight - CLOSE;
  }

  #last() {
    return this.#first + this.#tokens.length;
  }

  #render() {
    clear(this.box);
    this.#tokens = [];
    if (this.#turn) this.#update(false);
  }

  /** Add what is new, take away what is not there yet or too much, and change what has become something else. */
  #update(isFollowing) {
    if (isFollowing && this.#count > this.#first + WINDOW) this.#drop(this.#count - this.#first - WINDOW + SHIFT);
    const wanted = Math.min(this.#count, this.#first + WINDOW);
    while (this.#last() > Math.max(wanted, this.#first)) remove(this.#tokens.pop());
    this.#tokens.forEach((token, place) => {
      if (!token.isSettled || this.#mayChange) this.#refresh(token, this.#first + place);
    });
    while (this.#last() < wanted) this.#add(this.#last());
    this.box.classList.toggle("is-empty", this.#count === 0);
    this.box.dataset.empty = this.#count ? "" : say("strip.empty");
    this.earlier.hidden = this.#first === 0;
    this.later.hidden = this.#last() >= this.#count;
    if (isFollowing) this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  #drop(count) {
    for (const token of this.#tokens.splice(0, count)) remove(token);
    this.#first += count;
  }

  #shift(by) {
    const anchor = by < 0 ? this.#tokens[0] : this.#tokens.at(-1);
    if (!anchor) return;
    const index = by < 0 ? this.#first : this.#last() - 1;
    const before = anchor.node.getBoundingClientRect().top;
    this.#first = Math.max(0, Math.min(this.#first + by, this.#count - SHIFT));
    this.#render();
    const same = this.#tokens[index - this.#first]?.node;
    if (same) this.scroller.scrollTop += same.getBoundingClientRect().top - before;
  }

  #scrolled() {
    const { scrollTop } = this.scroller;
    if (scrollTop < CLOSE && this.#first > 0) this.#shift(-SHIFT);
    else if (this.#isAtEnd() && this.#last() < this.#count) this.#shift(SHIFT);
  }

  // --- tokens ------------------------------------------------------------------------------

  #add(index) {
    const node = el("span", { role: "option", id: this.prefix + index });
    node.dataset.index = index;
    const token = { node, key: null, isSettled: false };
    const before = this.#tokens.at(-1)?.node;
    const endsLine = before !== undefined && this.#turn.tokens.texts[index - 1].endsWith("\n");
    const isFull = before === undefined || (endsLine && before.parentNode.childElementCount >= RUN);
    if (isFull) this.box.append(el("div", { class: "run", role: "presentation" }));
    this.#tokens.push(token);
    this.#refresh(token, index);
    this.box.lastElementChild.append(node);
  }

  #refresh(token, index) {
    const parts = partsOf(this.#turn, index, this.#time);
    const isChosen = this.#chosen?.token === index;
    token.isSettled = parts.every((part) => SETTLED.has(part.sort)) && index + 1 < this.#count;
    const key = `${isChosen ? "!" : ""}${index === this.#active ? "*" : ""}${parts.map((part) => this.#partKey(part, index)).join("|")}`;
    if (key === token.key) return;
    token.key = key;
    token.node.className = `tok ${index % 2 ? "odd" : "even"}${isChosen ? " chosen" : ""}${index === this.#active ? " active" : ""}`;
    token.node.setAttribute("aria-selected", String(isChosen));
    token.node.replaceChildren(...parts.flatMap((part) => this.#part(part, index)));
  }

  #partKey(part, index) {
    const { start, end, sort, message, fate, post } = part;
    const isOfChosen = message !== undefined && message === this.#chosen?.message;
    return [start, end, sort, message, fate, post, isOfChosen, this.#label(part, index)].join();
  }

  #part(part, index) {
    const message = part.message === undefined ? null : this.#turn.message(part.message);
    const isOfChosen = message !== null && part.message === this.#chosen?.message;
    const colour = message ? ` ${colourOf(message.number)}` : "";
    const label = this.#label(part, index);
    const mark = label ? el("span", { class: `cut-mark ${part.fate ? "fate-mark" : ""}`, text: label, aria: { hidden: "true" } }) : null;
    const shown = el("span", { class: `part ${part.sort}${colour}${isOfChosen ? " of-chosen" : ""} ${part.fate ?? ""}` });
    const begins = message?.story?.raw?.[0]?.[0] === part.start;
    const words = this.#words(part, index);
    const isLine = words.endsWith("\n"); // the mark is at the end of the line, not at the start of the next
    shown.append(...whiteSpace(isLine ? words.slice(0, -1) : words), ...(isLine ? [lineEnd()] : []));
    return [
      begins ? el("span", { class: `chip in-text ${colourOf(message.number)}`, text: String(message.number), aria: { hidden: "true" } }) : "",
      shown, mark ?? "", isLine || (part.sort === "thought" && mark) ? "\n" : "",
    ];
  }

  #words(part, index) {
    const { texts, starts, thoughts } = this.#turn.tokens;
    return thoughts[index] ? texts[index] : texts[index].slice(part.start - starts[index], part.end - starts[index]);
  }

  /** The label after a part: why its message ends there, or its fate. */
  #label(part, index) {
    if (part.sort === "thought") return this.#isLastThought(index) ? named("fate.short", "thought") : "";
    if (part.sort !== "fate") return named("ends.short", this.#reason(part.end));
    const range = this.#turn.marks.at(part.start);
    const isShown = range?.end === part.end && this.#turn.tokens.slice(range.start, Math.min(range.end, range.start + 200)).trim();
    return isShown ? named("fate.short", part.fate) : "";
  }

  #isLastThought(index) {
    return index + 1 < this.#count && !this.#turn.tokens.thoughts[index + 1];
  }

  /** Why a message ends at *offset*, if it does and that is known by now. */
  #reason(offset) {
    const plan = this.#turn.plans.at(offset - 1);
    if (plan && plan.at <= this.#time) return plan.end === offset ? this.#turn.posts.get(plan.post)?.ends?.reason : "";
    const mark = this.#turn.marks.at(offset - 1);
    const { story } = (mark?.at <= this.#time && this.#turn.message(mark.message)) || {};
    return story?.raw.at(-1)?.[1] === offset ? story.ends?.reason : "";
  }

  // --- what people do ----------------------------------------------------------------------

  #click(event) {
    const node = event.target instanceof Element ? event.target.closest(".tok") : null;
    if (node) this.#pick(Number(node.dataset.index));
  }

  #key(event) {
    const now = this.#active >= 0 ? this.#active : this.#chosen?.token ?? this.#first - 1;
    const moves = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: this.#count - 1 };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in moves) this.#activate(moves[event.key]);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") this.#activate(this.#onNextLine(now, event.key === "ArrowDown"));
    else if ((event.key === "Enter" || event.key === " ") && this.#active >= 0) this.#pick(this.#active);
    else return;
    event.preventDefault();
  }

  /** The token below or above, about where the eye is. */
  #onNextLine(index, isDown) {
    const here = this.#tokens[index - this.#first]?.node.getBoundingClientRect();
    if (!here) return index;
    const step = isDown ? 1 : -1;
    let best = index;
    let top = null;
    for (let place = index + step; this.#tokens[place - this.#first]; place += step) {
      const box = this.#tokens[place - this.#first].node.getClientRects()[0];
      if (!box || (isDown ? box.top < here.bottom - 2 : box.bottom > here.top + 2)) continue;
      top ??= box.top;
      if (Math.abs(box.top - top) > 4) break;
      best = place;
      if (isDown ? box.left >= here.left : box.left <= here.left) break;
    }
    return best;
  }

  #activate(wanted) {
    if (!this.#count) return;
    const before = this.#active;
    this.#active = Math.min(Math.max(wanted, 0), this.#count - 1);
    this.reveal(this.#active);
    for (const index of [before, this.#active]) {
      const token = this.#tokens[index - this.#first];
      if (token) this.#refresh(token, index);
    }
    this.box.setAttribute("aria-activedescendant", this.prefix + this.#active);
  }

  #pick(index) {
    this.#activate(index);
    this.onPick({ kind: "token", turn: this.#turn.id, index });
  }
}

/** Take a token out of the page, and its block if that is empty then. */
function remove({ node }) {
  const run = node.parentNode;
  node.remove();
  if (!run.childElementCount) run.remove();
}

function lineEnd() {
  return el("span", { class: "ws", text: "↵", aria: { hidden: "true" } });
}

/** White space lightly made visible: a line end has a sign, a run of spaces dots. */
function whiteSpace(words) {
  return words.split(/(\n|\t| {2,})/).filter(Boolean).flatMap((piece) => {
    if (piece === "\n") return [lineEnd(), "\n"];
    if (piece === "\t") return [el("span", { class: "ws", text: "⇥", aria: { hidden: "true" } }), "\t"];
    return /^ {2,}$/.test(piece) ? [el("span", { class: "ws", text: "·".repeat(piece.length) })] : [piece];
  });
}
