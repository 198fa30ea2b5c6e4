/**
 * Merges the many small objects that a day has in the archive of the ledger into few large ones, so
 * that a query or an audit reads hundreds of objects in place of thousands. A line is never changed
 * and never judged: an object has all distinct lines of those that it replaces. Bound by ADR 0134.
 *
 *   list ─▶ read and check ─▶ put the merged object, read it back ─▶ remove those that it replaces
 *   ✘ dies before the put: nothing has changed
 *   ✘ dies after it: lines are in two objects, and readers count an entry by its id. The next run
 *     removes what is left; lines of one merged object at most stay in two
 *   A: reads x, y   B: reads x, y       both put the same object: one PUT wins, the other gets 412
 *   A: removes x    B: finds no x       B merges without x, whose lines A's object has
 *   A: has put z    B: reads z, w and puts v, removes z       v has all lines of z
 *   a batch that is delivered again puts x again: its lines are in two objects until the next run
 * So at any time each line is in at least one object. A reader that lists names before a merge and
 * reads them after it finds a name without an object, lists again, and misses nothing
 * (read-archive.ts). An object whose text does not fit its name is left as it is, for the audit.
 */
import {
  buildObjectName,
  LEDGER_PREFIX,
  OBJECT_LINES_MAX,
  parseLedgerName,
} from '../../archive/archive-object.ts'
import { Fault } from '../../errors.ts'
import { DAY_MS, toUtcDay } from '../../json/utc-time.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Archive } from '../../ports/usage.ts'

/**
 * Days after which a day is merged: a call may last a day as a task, and its news may be tried for
 * 20 hours.
 */
export const MERGE_AFTER_DAYS = 2
/** Days that one run looks at. An object that comes later than this stays as it is. */
export const MERGE_DAYS = 7
/** Time after which a run begins no more work: the function has 120 s, and the trail comes first. */
export const MERGE_FOR_MS = 60_000
/** Requests to the archive at a time. */
const REQUESTS_AT_ONCE = 8

type Needs = Pick<Ports, 'digests'> & {
  readonly archive: Archive
  readonly clock: Pick<Ports['clock'], 'nowMs'>
}

export type MergeTotals = {
  /** Objects that were written. */
  readonly objects: number
  /** Objects that were replaced. */
  readonly gone: number
  /** Objects that a later run must look at, because the time was over. */
  readonly left: number
}

/** Merges the days that are over, oldest first. Throws the errors of the archive. */
export async function mergeObjects(ports: Needs): Promise<MergeTotals> {
  const { clock } = ports
  const nowMs = clock.nowMs()
  const totals = { objects: 0, gone: 0, left: 0 }
  for (let ago = MERGE_AFTER_DAYS + MERGE_DAYS - 1; ago >= MERGE_AFTER_DAYS; ago -= 1) {
    const day = toUtcDay(nowMs - ago * DAY_MS)
    const merged = await mergeDay(ports, day, nowMs + MERGE_FOR_MS)
    totals.objects += merged.objects
    totals.gone += merged.gone
    totals.left += merged.left
  }
  return totals
}

async function mergeDay(ports: Needs, day: string, untilMs: number): Promise<MergeTotals> {
  const { archive, clock } = ports
  const names = (await archive.list(`${LEDGER_PREFIX}day=${day}/`)).filter(isSmall)
  if (names.length < 2) return { objects: 0, gone: 0, left: 0 }
  const merge = createMerge(ports, day)
  for (let at = 0; at < names.length; at += REQUESTS_AT_ONCE) {
    if (clock.nowMs() >= untilMs) return merge.end(names.length - at)
    const some = names.slice(at, at + REQUESTS_AT_ONCE)
    const texts = await Promise.all(some.map((name) => readSound(ports, name)))
    for (const [index, name] of some.entries()) await merge.add(name, texts[index])
  }
  return merge.end(0)
}

type Chunk = { readonly names: string[]; readonly lines: Set<string> }

/** Collects objects, and replaces them whenever they have enough lines. */
function createMerge(ports: Needs, day: string) {
  let chunk: Chunk = { names: [], lines: new Set() }
  let [objects, gone] = [0, 0]
  const replace = async () => {
    const replaced = await replaceChunk(ports, day, chunk)
    objects += Math.sign(replaced)
    gone += replaced
    chunk = { names: [], lines: new Set() }
  }
  return {
    /** `text` is undefined for an object that stays as it is. */
    async add(name: string, text: string | undefined): Promise<void> {
      if (text === undefined) return
      chunk.names.push(name)
      for (const line of text.split('\n')) if (line !== '') chunk.lines.add(line)
      if (chunk.lines.size >= OBJECT_LINES_MAX) await replace()
    },
    async end(left: number): Promise<MergeTotals> {
      await replace()
      return { objects, gone, left }
    },
  }
}

/** True for an object that was put by a batch, and for a merged one that is not full. */
function isSmall(name: string): boolean {
  const parts = parseLedgerName(name)
  return parts !== undefined && (parts.mergedLines ?? 0) < OBJECT_LINES_MAX
}

/** Returns undefined for an object that is gone, or whose bytes or text do not fit its name. */
async function readSound(
  { archive, digests }: Pick<Needs, 'archive' | 'digests'>,
  name: string,
): Promise<string | undefined> {
  const text = await archive.read(name).catch((cause: unknown) => {
    // Bytes that are no object; an archive that does not answer ends the run.
    if (cause instanceof Fault && cause.code === 'internal') return undefined
    throw cause
  })
  const isSound = text !== undefined && digests.sha256(text) === parseLedgerName(name)?.digest
  return isSound ? text : undefined
}

/** Returns how many objects the merged one replaces; 0 if there is nothing to merge. */
async function replaceChunk(
  { archive, digests }: Needs,
  day: string,
  { lines, names }: Chunk,
): Promise<number> {
  if (names.length < 2) return 0
  const text = [...lines]
    .sort()
    .map((line) => `${line}\n`)
    .join('')
  const own = `${lines.size}-${digests.sha256(text)}`
  const merged = buildObjectName(LEDGER_PREFIX, day, own)
  await archive.put({ name: merged, text })
  // A name that is taken keeps its object, and whoever put it may have put something else.
  if ((await readSound({ archive, digests }, merged)) === undefined) return 0
  // If all other lines are in one merged object already, that object is the result.
  const replaced = names.filter((name) => name !== merged)
  for (let at = 0; at < replaced.length; at += REQUESTS_AT_ONCE) {
    const some = replaced.slice(at, at + REQUESTS_AT_ONCE)
    await Promise.all(some.map((name) => archive.remove(name)))
  }
  return names.length
}
