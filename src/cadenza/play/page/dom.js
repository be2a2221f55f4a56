/**
 * Making elements. Whatever a model or a person said goes in as text: nothing here reads HTML.
 */

const SVG = "http://www.w3.org/2000/svg";

/** How each special prop is put on a node; any other is a property, or an attribute where there is no such property. */
const SPECIAL = {
  class: (node, value) => node.setAttribute("class", value),
  text: (node, value) => { node.textContent = value; },
  data: (node, values) => setAll(values, (name, value) => { node.dataset[name] = value; }),
  aria: (node, values) => setAll(values, (name, value) => node.setAttribute(`aria-${name}`, value)),
  on: (node, handlers) => setAll(handlers, (name, handler) => node.addEventListener(name, handler)),
  style: (node, values) => setAll(values, (name, value) => setStyle(node, name, value)),
};

/** Properties that could turn text into HTML or script: they are always refused. */
const REFUSED = /^(on.*|inner.*|outer.*|srcdoc)$/i;

/**
 * Make an element.
 * @param {string} tag
 * @param {object|null} [props] `class`, `text`, `data: {}`, `aria: {}`, `on: {click: f}`, `style: {}`, or any property
 * or attribute; one that is `null` or `undefined` is passed over
 * @param {...(Node|string|number|null|undefined|false|Array)} children nodes or texts; what is empty is passed over
 * @returns {HTMLElement}
 */
export function el(tag, props, ...children) {
  const node = document.createElement(tag);
  setAll(props ?? {}, (name, value) => setProp(node, name, value));
  append(node, children);
  return node;
}

/**
 * Make an element of SVG.
 * @param {string} tag
 * @param {object|null} [attributes] as they are written in SVG; `on: {}` adds handlers, `text` is its text
 * @param {...(Node|string|null|undefined|false|Array)} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  setAll(attributes ?? {}, (name, value) => {
    if (Object.hasOwn(SPECIAL, name)) SPECIAL[name](node, value);
    else setAttribute(node, name, value);
  });
  append(node, children);
  return node;
}

/**
 * Take everything out of a node.
 * @template {Node} T
 * @param {T} node
 * @returns {T}
 */
export function clear(node) {
  node.replaceChildren();
  return node;
}

/**
 * A small picture of lines, for buttons: drawn in the colour of the text, and unseen by screen readers.
 * @param {string} path what SVG calls `d`, on a field of 24 by 24
 * @returns {SVGElement}
 */
export function icon(path) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: path }));
}

/**
 * The address of a picture or file if it may be asked for, else `null`: nothing leaves this machine, and a page that
 * stands alone has only what it brought along.
 * @param {unknown} address
 * @returns {string|null}
 */
export function ownAddress(address) {
  if (typeof address !== "string") return null;
  if (/^data:/i.test(address)) return address;
  const isAlone = document.documentElement.dataset.alone !== undefined;
  return !isAlone && /^\/(?![/\\])/.test(address) ? address : null;
}

function setAll(values, set) {
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined) set(name, value);
  }
}

function setProp(node, name, value) {
  if (Object.hasOwn(SPECIAL, name)) SPECIAL[name](node, value);
  else if (REFUSED.test(name)) throw new TypeError(`${name} is not set here; use "on" or "text"`);
  else if (name in node && !isReadOnly(name)) node[name] = value;
  else setAttribute(node, name, value);
}

function setAttribute(node, name, value) {
  if (REFUSED.test(name)) throw new TypeError(`${name} is not set here; use "on" or "text"`);
  if (value === true) node.setAttribute(name, "");
  else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
}

/** Some properties mirror an attribute and cannot be set: an input's `list` or `form`. */
function isReadOnly(name) {
  return name === "list" || name === "form";
}

function setStyle(node, name, value) {
  if (name.startsWith("--")) node.style.setProperty(name, value);
  else node.style[name] = value;
}

function append(node, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(node, child);
    else if (child !== null && child !== undefined && child !== false) node.append(child);
  }
}
