/**
 * Completes messages and people: a film may come from anywhere, and views need not check again.
 */

/**
 * A person with all fields; `null` if it is not an object.
 * @param {unknown} person
 */
export function completePerson(person) {
  if (!isObject(person)) return null;
  const id = text(person.id);
  return {
    ...person,
    id,
    name: text(person.name) || id,
    avatar: typeof person.avatar === "string" ? person.avatar : null,
    is_bot: person.is_bot === true,
    is_me: person.is_me === true,
    is_webhook: person.is_webhook === true,
  };
}

/**
 * A message with all fields of docs/films.md; `null` if it has no id or channel.
 * @param {unknown} message
 */
export function completeMessage(message) {
  if (!isObject(message) || !text(message.id) || !text(message.channel)) return null;
  const content = text(message.content);
  return {
    ...message,
    content,
    author: completePerson(message.author) ?? completePerson({}),
    time: text(message.time),
    markup: Array.isArray(message.markup) ? message.markup : content ? [content] : [],
    reply: isObject(message.reply) ? message.reply : null,
    command: isObject(message.command) ? message.command : null,
    system: typeof message.system === "string" ? message.system : null,
    pings: texts(message.pings),
    files: objects(message.files),
    embeds: objects(message.embeds).map(completeEmbed),
    components: completeRows(message.components),
    reactions: objects(message.reactions),
  };
}

function completeEmbed(embed) {
  return { ...embed, title: nodes(embed.title), text: nodes(embed.text), fields: objects(embed.fields).map(completeField) };
}

function completeField(field) {
  return { ...field, name: text(field.name), value: nodes(field.value) };
}

/** Components come in rows; a plain list of them is one row. */
function completeRows(rows) {
  if (!Array.isArray(rows)) return [];
  const isOneRow = rows.every((row) => !Array.isArray(row));
  return (isOneRow ? [rows] : rows).map(objects).filter((row) => row.length > 0);
}

function nodes(value) {
  if (Array.isArray(value)) return value;
  return typeof value === "string" && value ? [value] : [];
}

function objects(values) {
  return Array.isArray(values) ? values.filter((value) => isObject(value) && !Array.isArray(value)) : [];
}

function texts(values) {
  return Array.isArray(values) ? values.filter((value) => typeof value === "string") : [];
}

function text(value) {
  return typeof value === "string" ? value : "";
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}
