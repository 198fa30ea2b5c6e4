/**
 * Both sides of the thread that turns HTML into Markdown. The importer calls `startThread`, which
 * starts this same file as a thread; there it converts one page per message. So a bundle need not
 * know the name of another file. convert-html.ts limits the thread's time; this file limits its
 * memory.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { CONVERT_MEMORY_MB_MAX, HTML_DEPTH_MAX, MARKDOWN_CHARS_MAX } from './conversion-limits.ts'

/** Young generation: the smallest that is fast. Stack: twice what HTML_DEPTH_MAX levels need. */
const MEMORY = {
  maxOldGenerationSizeMb: CONVERT_MEMORY_MB_MAX,
  maxYoungGenerationSizeMb: 4,
  stackSizeMb: 4,
}
const ROLE = 'skillgate-html-to-markdown'

export type ConversionOutcome =
  | { readonly kind: 'markdown'; readonly markdown: string }
  | { readonly kind: 'too_deep' | 'too_long' }

/** Starts the thread without environment variables, since it needs none. */
export function startThread(): Worker {
  // Not imported: in a bundle, an import of one name would make the thread load the chunk of the
  // start. Flags of the process, which Lambda and `npm start` set, would override the limits below.
  // V8 reads flags when it makes a heap, so clearing them changes only threads that start later.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString('--max-old-space-size=0')
  setFlagsFromString('--max-semi-space-size=0')
  const options = { workerData: ROLE, env: {}, execArgv: [], resourceLimits: MEMORY }
  return new Worker(new URL(import.meta.url), options)
}

if (!isMainThread && workerData === ROLE) {
  const converter = await import('./markdown.ts')
  parentPort?.on('message', (html: string) => {
    parentPort?.postMessage(convert(html, converter.convertToMarkdown))
  })
}

function convert(html: string, toMarkdown: (html: string) => string): ConversionOutcome {
  if (isDeeper(html, HTML_DEPTH_MAX)) return { kind: 'too_deep' }
  try {
    const markdown = toMarkdown(html)
    return markdown.length > MARKDOWN_CHARS_MAX
      ? { kind: 'too_long' }
      : { kind: 'markdown', markdown }
  } catch (cause) {
    // The stack overflowed: the parser found more levels than isDeeper did.
    if (cause instanceof RangeError) return { kind: 'too_deep' }
    throw cause
  }
}

/**
 * Matches a whole comment, a whole element of raw text, or one other tag; reads each character
 * once.
 */
const TAGS =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title)\b[\s\S]*?(?:<\/\1|$)|<(\/?)([a-z][a-z0-9-]*)[^<>]*>/gi
/** Tags that rarely have an end tag: they nest only inside one of the other tags. */
const UNCOUNTED = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr ' +
    'p li dt dd tr td th thead tbody tfoot colgroup option optgroup rp rt'
  ).split(' '),
)

/**
 * Estimates the depth from the text, to refuse obvious cases cheaply. It ignores how a parser
 * treats misplaced end tags; the thread's limits cover those.
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
