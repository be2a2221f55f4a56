/** One or two films in numbers, and in words what is different between them. */

import { el } from "cadenza/dom.js";
import { figuresOf } from "cadenza/figures.js";
import { language, t } from "cadenza/words.js";

/** The figures in their order; of all but the number of messages, less is better. */
const ROWS = [
  { name: "messages", isBetterLess: false, isTime: false },
  { name: "first", isBetterLess: true, isTime: true },
  { name: "longest", isBetterLess: true, isTime: true },
  { name: "behind", isBetterLess: true, isTime: true },
  { name: "limited", isBetterLess: true, isTime: false },
  { name: "lost", isBetterLess: true, isTime: false },
];

/** Differences in seconds that are not noticeable. */
const NOTICED = 0.3;

/** A table of the figures of *films*, with a few sentences if there are two. */
export function comparison(films, labels) {
  const figures = films.map((film) => figuresOf(film));
  const sentences = figures.length === 2 ? differences(figures, labels) : [];
  return el(
    "section",
    { class: "comparison" },
    el("h3", { text: t(figures.length === 2 ? "lab.compared" : "lab.in-numbers") }),
    sentences.length ? el("ul", { class: "differences" }, ...sentences.map((text) => el("li", { text }))) : null,
    table(figures, labels),
  );
}

function table(figures, labels) {
  const corner = el("td");
  const heads = labels.map((label) => el("th", { scope: "col", text: label }));
  const rows = ROWS.map(
    (row) => el("tr", {}, el("th", { scope: "row", text: t(`lab.figure-${row.name}`) }), ...cells(row, figures)),
  );
  const head = el("thead", { class: labels.length === 1 ? "visually-hidden" : "" }, el("tr", {}, corner, ...heads));
  return el("table", {}, head, el("tbody", {}, ...rows));
}

function cells(row, figures) {
  const values = figures.map((figure) => figure[row.name]);
  const isDecided = values.length === 2 && row.isBetterLess && !values.includes(null) && values[0] !== values[1];
  const best = isDecided ? Math.min(...values) : null;
  return values.map((value) => {
    const isBest = best !== null && value === best;
    const mark = isBest ? el("span", { class: "visually-hidden", text: ` (${t("lab.better")})` }) : null;
    return el("td", { class: isBest ? "is-best" : "" }, shown(value, row.isTime), mark);
  });
}

function shown(value, isTime) {
  if (value === null) return "–";
  return isTime ? t("lab.in-seconds", { seconds: number(value, 1) }) : number(value, 0);
}

function number(value, digits) {
  return new Intl.NumberFormat(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

function differences(figures, labels) {
  const sooner = ["first", "behind"].flatMap((name) => earlier(name, figures, labels));
  const told = ["lost", "limited"].flatMap((name) => figures.flatMap((figure, side) => {
    if (!figure[name]) return [];
    return [t(`lab.told-${name}`, { label: labels[side], count: number(figure[name], 0) })];
  }));
  const [one, other] = figures.map(({ texts }) => JSON.stringify(texts));
  const same = one === other ? [t("lab.same-messages")] : [];
  return [...same, ...sooner, ...told];
}

function earlier(name, figures, labels) {
  const [one, other] = figures.map((figure) => figure[name]);
  if (one === null || other === null || Math.abs(one - other) < NOTICED) return [];
  const label = labels[one < other ? 0 : 1];
  return [t(`lab.sooner-${name}`, { label, seconds: number(Math.abs(one - other), 1) })];
}
