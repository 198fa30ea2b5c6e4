/**
 * The thread that turns HTML into Markdown, from both sides: whoever imports this file may start it,
 * and started it serves one page per message. So it needs no name of a file that a bundle would have
 * to keep. Its time is limited by whoever started it, its memory here.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { CONVERT_MEMORY_MB_MAX, HTML_DEPTH_MAX, MARKDOWN_CHARS_MAX } from './html-limits.ts'

/** Young: what V8 takes at least to be quick. Stack: room for HTML_DEPTH_MAX levels, twice. */
const MEMORY = {
  maxOldGenerationSizeMb: CONVERT_MEMORY_MB_MAX,
  maxYoungGenerationSizeMb: 16,
  stackSizeMb: 4,
}
const ROLE = 'skillgate-html-to-markdown'

export type ConversionOutcome =
  | { readonly kind: 'markdown'; readonly markdown: string }
  | { readonly kind: 'too_deep' | 'too_long' }

/** No environment: the thread has no business with what is in ours. */
export function startThread(): Worker {
  const options = { workerData: ROLE, env: {}, execArgv: [], resourceLimits: MEMORY }
  return new Worker(new URL(import.meta.url), options)
}

if (!isMainThread && workerData === ROLE) {
  const { markdownOf } = await import('./markdown.ts')
  parentPort?.on('message', (html: string) => {
    parentPort?.postMessage(convert(html, markdownOf))
  })
}

function convert(html: string, markdownOf: (html: string) => string): ConversionOutcome {
  if (isDeeper(html, HTML_DEPTH_MAX)) return { kind: 'too_deep' }
  try {
    const markdown = markdownOf(html)
    return markdown.length > MARKDOWN_CHARS_MAX
      ? { kind: 'too_long' }
      : { kind: 'markdown', markdown }
  } catch (cause) {
    // The stack is full: the parser had its own idea of what is nested.
    if (cause instanceof RangeError) return { kind: 'too_deep' }
    throw cause
  }
}

/** Comments and raw text whole, other tags one by one; each character is looked at once. */
const TAGS =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title)\b[\s\S]*?(?:<\/\1|$)|<(\/?)([a-z][a-z0-9-]*)[^<>]*>/gi
/** Have no end tag, or often none: they nest only where one of the others is between. */
const UNCOUNTED = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr ' +
    'p li dt dd tr td th thead tbody tfoot colgroup option optgroup rp rt'
  ).split(' '),
)

/**
 * A guess from the text, to refuse the plain cases before they cost anything. What a parser makes of
 * end tags that are out of place is not in it; that is what the limits of the thread are for.
 */
function isDeeper(html: string, depthMax: number): boolean {
  let depth = 0
  for (const { 0: tag, 2: slash, 3: name } of html.matchAll(TAGS)) {
    if (name === undefined || UNCOUNTED.has(name.toLowerCase()) || tag.endsWith('/>')) continue
    depth = slash === '/' ? Math.max(0, depth - 1) : depth + 1
    if (depth > depthMax) return true
  }
  return false
}
