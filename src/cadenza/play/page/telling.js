/** Texts in one line, and what Discord answered. */
import { say, seconds } from "cadenza/words_inside.js";

const LONGEST = 160; // units of a text that is quoted within a sentence
const TROUBLES = new Set(["message_refused", "model_stalled", "reply_halted", "stop_asked", "queue_cut"]);

/**
 * *words* on one line, with white space made visible, and not too long.
 * @param {string} words
 */
export function quoted(words, longest = LONGEST) {
  return say("inside.quoted", { text: inOneLine(words, longest) });
}

/** *words* on one line, as `quoted`, but without marks around it. */
export function inOneLine(words, longest = LONGEST) {
  const line = visible(words);
  return line.length > longest ? `${cutAt(line, longest)}…` : line;
}

/** White space, made visible. */
export function visible(words) {
  return String(words ?? "").replaceAll("\n", "↵").replaceAll("\t", "⇥");
}

/** The first *size* units of *words*, without half a character at the end. */
function cutAt(words, size) {
  const code = words.charCodeAt(size - 1);
  return words.slice(0, code >= 0xd800 && code < 0xdc00 ? size - 1 : size);
}

/** Whether something is a trouble that one looks for. */
export function isTrouble({ fact, about }) {
  return TROUBLES.has(fact) || about?.kind === "failed" || Boolean(about?.is_error || about?.error);
}

/** Whether Discord did not simply take it. */
export function isRefused(call) {
  return call.status === null || call.status === undefined || call.status >= 400;
}

/** What the bot asked of Discord, and what came of it. */
export function callText(call) {
  const { route, status } = call;
  const code = call.code ? ` (${say("call.code", { code: call.code })})` : "";
  if (status === null || status === undefined) return say("call.lost", { route });
  if (status === 429) return say("call.limit", { route, seconds: seconds(call.retry_after ?? 0) });
  return say(status >= 400 ? "call.refused" : "call.ok", { route, status }) + code;
}
