// Reads texts as Discord's client shows them, with three readers of Markdown that others wrote.
//
// Each line of input is a JSON array of texts. Each line of output is a JSON array with what was read, one for each
// text: { "odiffey": runs, "parser": runs, "fences": runs }. A run is [characters, style]. A style lists its parts in
// a fixed order: "bold|italic|underline|strike|spoiler|code|code:py|link:target|quote|small|h2|list:3./-". The list
// says for each level, outermost first, the number of the item, or "-" for a bullet.

import { createInterface } from 'node:readline'
import { parser as odiffey } from '@odiffey/discord-markdown'
import { parse as discordParser } from 'discord-markdown-parser'
import MarkdownIt from 'markdown-it'

const STYLES = {
  strong: 'bold', em: 'italic', u: 'underline', underline: 'underline', strike: 'strike', strikethrough: 'strike',
  spoiler: 'spoiler', blockQuote: 'quote', footnote: 'small', subtext: 'small',
}
const BLOCKS = new Set(['br', 'newline', 'heading', 'list', 'codeBlock', 'blockQuote', 'footnote', 'subtext'])
const ORDER = ['bold', 'italic', 'underline', 'strike', 'spoiler', 'code', 'link', 'quote', 'small']

class Page {
  runs = []

  put (text, styles, list) {
    if (!text.trim()) return
    const marks = [...styles].sort((one, other) => rank(one) - rank(other))
    const style = [...marks, ...(list.length ? [`list:${list.join('/')}`] : [])].join('|')
    const last = this.runs.at(-1)
    if (last && last[1] === style) last[0] += text
    else this.runs.push([text, style])
  }

  endLine () {
    if (this.runs.length) this.runs.at(-1)[0] += '\n'
  }

  nodes (nodes, styles, list) {
    for (const node of nodes) {
      if (Array.isArray(node)) {
        this.nodes(node, styles, list)
      } else {
        this.node(node, styles, list)
        if (BLOCKS.has(node.type)) this.endLine()
      }
    }
  }

  node (node, styles, list) {
    switch (node.type) {
      case 'br': case 'newline': return
      case 'text': return this.put(node.content, styles, list)
      case 'inlineCode': return this.put(node.content, new Set(styles).add('code'), list)
      case 'codeBlock': return this.put(node.content, new Set(styles).add(`code:${node.lang}`), list)
      case 'heading': return this.nodes(node.content, new Set(styles).add(`h${node.level}`), list)
      case 'list':
        node.items.forEach((item, index) => {
          this.endLine()
          this.nodes(item, styles, [...list, node.ordered ? `${node.start + index}.` : '-'])
        })
        return
      case 'link': return this.nodes(node.content, new Set(styles).add(`link:${node.target}`), list)
      case 'twemoji': return this.put(node.name, styles, list)
    }
    if (!node.content) { // an emoji of a server, or a mention
      return this.put(`<${node.animated ? 'a' : ''}${node.name ? `:${node.name}` : node.type}:${node.id}>`, styles, list)
    }
    const mark = STYLES[node.type]
    this.nodes(node.content, mark ? new Set(styles).add(mark) : styles, list)
  }
}

function rank (style) {
  const place = ORDER.indexOf(style.split(':')[0])
  return place < 0 ? ORDER.length : place
}

function read (nodes) {
  const page = new Page()
  page.nodes(nodes, new Set(), [])
  return page.runs
}

const markdownIt = new MarkdownIt()

function fences (text) {
  const page = new Page()
  for (const token of markdownIt.parse(text, {})) {
    if (token.type === 'fence') page.put(token.content, new Set([`code:${token.info.trim()}`]), [])
  }
  return page.runs
}

function judge (text) {
  return { odiffey: read(odiffey(text)), parser: read(discordParser(text, 'extended')), fences: fences(text) }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(JSON.parse(line).map(judge)) + '\n')
}
