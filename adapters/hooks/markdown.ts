/**
 * HTML to Markdown by turndown, without parts that are useless to a model: scripts, styles,
 * embedded media, images that are data, links that are code. Called in html-thread.ts only: neither the
 * parser nor the rules are linear in every input.
 */
import TurndownService from 'turndown'
import { addTables } from './markdown-tables.ts'

const DROPPED: TurndownService.TagName[] = [
  'script',
  'style',
  'noscript',
  'template',
  'title',
  'iframe',
  'object',
  'embed',
  'canvas',
  'audio',
  'video',
]
/** Addresses that contain a program or a file instead of naming one. */
const NO_ADDRESS = /^\s*(?:data|javascript|vbscript):/i

/** The part of turndown's own DOM that is used here. */
type Element = { getAttribute(name: string): string | null }

export function markdownOf(html: string): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
  })
    .remove(DROPPED)
    .remove((node) => node.nodeName.toLowerCase() === 'svg')
    .addRule('image-data', {
      filter: (node) => node.nodeName === 'IMG' && hasNoAddress(node, 'src'),
      replacement: (_content, node) => node.getAttribute('alt') ?? '',
    })
    .addRule('code-link', {
      filter: (node) => node.nodeName === 'A' && hasNoAddress(node, 'href'),
      replacement: (content) => content,
    })
  return addTables(service).turndown(html)
}

function hasNoAddress(node: Element, attribute: string): boolean {
  return NO_ADDRESS.test(node.getAttribute(attribute) ?? '')
}
