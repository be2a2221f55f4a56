// The keys of the whole page.

import { openKeys } from "cadenza/dialogs.js";
import { t } from "cadenza/words.js";

const ARROWS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/** Show which key does what. */
export function showKeys() {
  const row = (keys, name) => ({ keys, about: t(`live.key.${name}`) });
  openKeys([
    row(["Enter"], "send"),
    row(["Shift", "Enter"], "line"),
    row(["↑"], "edit"),
    row(["/"], "command"),
    row(["Esc"], "cancel"),
    row(["F6"], "region"),
    row(["Ctrl", "Alt", "← →"], "region"),
    row(["Ctrl", "K"], "jump"),
    row(["Alt", "↑ ↓"], "channel"),
    row(["↑ ↓", "Enter"], "message"),
    row(["?"], "keys"),
  ]);
}

/**
 * Listen to the keys of the page.
 * @param {object} asked
 * @param {(by: number) => void} asked.onRegion the next or the previous region
 * @param {(by: number) => void} asked.onChannel the next or the previous channel
 * @param {() => void} asked.onJump
 */
export function listenToKeys({ onRegion, onChannel, onJump }) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const act = meant(event, { onRegion, onChannel, onJump });
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function meant(event, { onRegion, onChannel, onJump }) {
  const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  const by = ARROWS[event.key];
  if (event.key === "F6") return () => onRegion(event.shiftKey ? -1 : 1);
  if (by && event.ctrlKey && event.altKey) return () => onRegion(by);
  if (by && event.altKey && !event.ctrlKey && event.key.match(/Up|Down/)) return () => onChannel(by);
  if (isCommand && event.key.toLowerCase() === "k") return onJump;
  if (event.key === "?" && !isTyping(event.target)) return showKeys;
  return null;
}

function isTyping(node) {
  return node.matches?.("input, textarea, select, [contenteditable]") ?? false;
}
