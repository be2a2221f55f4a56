// Requests to the server, and its stream of events.

import { language, t } from "cadenza/words.js";

const PATIENCE = 2000; // ms without a connection before the page says so
const AGAIN = 1500; // ms until we reconnect after the browser has given up

/** A request that was refused or never arrived; its message is a sentence for the user. */
export class ApiError extends Error {
  /** @param {string} message @param {number} status 0 if there was no answer */
  constructor(message, status = 0) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

/** Asks the server, in JSON. */
export class Api {
  /**
   * @param {string} path
   * @param {{signal?: AbortSignal}} options
   */
  async get(path, { signal } = {}) {
    return jsonOf(await this.#fetched(path, { signal }));
  }

  /**
   * @param {string} path
   * @param {object} body
   * @param {{signal?: AbortSignal}} options
   */
  async post(path, body, { signal } = {}) {
    return jsonOf(await this.#posted(path, body, signal));
  }

  /**
   * The response as a blob, for a page to be saved.
   * @param {string} path
   * @param {object} body
   * @param {{signal?: AbortSignal}} options
   * @returns {Promise<Blob>}
   */
  async download(path, body, { signal } = {}) {
    return (await this.#posted(path, body, signal)).blob();
  }

  /** The state at the start. */
  state() {
    return this.get("/api/state");
  }

  /** Say something, or use a command. @param {object} what */
  say(what) {
    return this.post("/api/say", what);
  }

  /** Anything else that a person can do in a channel. @param {string} act @param {object} about */
  act(act, about) {
    return this.post("/api/act", { act, ...about });
  }

  #posted(path, body, signal) {
    return this.#fetched(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Cadenza": "play" },
      body: JSON.stringify(body),
      signal,
    });
  }

  async #fetched(path, options) {
    let response;
    try {
      // Each page gets answers in its own language.
      const headers = { ...options.headers, "Accept-Language": language() };
      response = await fetch(path, { ...options, headers });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ApiError(t("live.error.away"));
    }
    if (response.ok) return response;
    throw new ApiError(await sentenceOf(response), response.status);
  }
}

async function jsonOf(response) {
  try {
    return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(t("live.error.odd", { status: response.status }), response.status);
  }
}

async function sentenceOf(response) {
  const otherwise = t("live.error.odd", { status: response.status });
  try {
    const answer = await response.json();
    return typeof answer.error === "string" && answer.error ? answer.error : otherwise;
  } catch {
    return otherwise;
  }
}

/** Orders what is asked of the server: what it said before it knew the last choice is not shown. */
export class Choices {
  #asked = 0;
  #waiting = 0;

  /** Await what *ask* answers; `undefined` if a later choice is under way. @param {() => Promise<any>} ask */
  async choose(ask) {
    this.#asked += 1;
    this.#waiting += 1;
    try {
      const answer = await ask();
      return this.#waiting === 1 ? answer : undefined;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Await what *load* gives; `undefined` if something is or was chosen in the meantime. @param {() => Promise<any>} load */
  async load(load) {
    const asked = this.#asked;
    const isSettled = this.#waiting === 0;
    const loaded = await load();
    return isSettled && asked === this.#asked ? loaded : undefined;
  }
}

/** The stream of records. It reconnects by itself, and continues where it was. */
export class Events {
  #source = null;
  #next = 0;
  #told = null;
  #again = null;
  #asked;

  /**
   * @param {object} asked
   * @param {string} asked.session the session that the page knows
   * @param {(record: object) => void} asked.onRecord
   * @param {(hello: object) => void} asked.onHello
   * @param {(isConnected: boolean) => void} asked.onConnected told only when it lasts
   * @param {() => void} asked.onOtherSession the server has started a new session
   */
  constructor(asked) {
    this.#asked = asked;
  }

  open() {
    this.#again = null;
    this.#source = new EventSource(`/api/events?from=${this.#next}`);
    this.#source.addEventListener("hello", (event) => this.#met(event));
    this.#source.addEventListener("message", (event) => this.#heard(event));
    this.#source.addEventListener("error", () => this.#broken());
  }

  close() {
    clearTimeout(this.#told);
    clearTimeout(this.#again);
    this.#source?.close();
  }

  #met(event) {
    const hello = parsed(event.data);
    if (hello?.session !== this.#asked.session) {
      this.close();
      this.#asked.onOtherSession();
      return;
    }
    clearTimeout(this.#told);
    this.#told = null;
    this.#asked.onConnected(true);
    this.#asked.onHello(hello);
  }

  #heard(event) {
    const number = Number(event.lastEventId);
    // A record must not be handled twice.
    if (event.lastEventId && number < this.#next) return;
    if (event.lastEventId) this.#next = number + 1;
    const record = parsed(event.data);
    if (record) this.#asked.onRecord(record);
  }

  #broken() {
    this.#told ??= setTimeout(() => this.#asked.onConnected(false), PATIENCE);
    // The browser tries again after a break, but not after a refusal.
    if (this.#source.readyState !== EventSource.CLOSED || this.#again) return;
    this.#again = setTimeout(() => this.open(), AGAIN);
  }
}

function parsed(data) {
  try {
    const value = JSON.parse(data);
    return value && typeof value === "object" ? value : null;
  } catch {
    return null; // an unreadable record does not end the stream
  }
}
