/**
 * Converts HTML to Markdown with turndown, without parts that are useless to a model: scripts,
 * styles, embedded media, images that are data, links that are code. Only html-thread.ts calls this
 * file, because for some inputs the parser and the rules take more than linear time.
 */
import TurndownService from 'turndown'
import { addTableRules } from './markdown-tables.ts'

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
/** Addresses that contain a program or a file. */
const EMBEDDED_CONTENT = /^\s*(?:data|javascript|vbscript):/i

/** The member of turndown's DOM elements that is used here. */
type Element = { getAttribute(name: string): string | null }

export function convertToMarkdown(html: string): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
  })
    .remove(DROPPED)
    .remove((node) => node.nodeName.toLowerCase() === 'svg')
    .addRule('image-data', {
      filter: (node) => node.nodeName === 'IMG' && hasEmbeddedContent(node, 'src'),
      replacement: (_content, node) => node.getAttribute('alt') ?? '',
    })
    .addRule('code-link', {
      filter: (node) => node.nodeName === 'A' && hasEmbeddedContent(node, 'href'),
      replacement: (content) => content,
    })
  return addTableRules(service).turndown(html)
}

function hasEmbeddedContent(node: Element, attribute: string): boolean {
  return EMBEDDED_CONTENT.test(node.getAttribute(attribute) ?? '')
}
