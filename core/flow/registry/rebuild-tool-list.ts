/**
 * `sync_cache` rebuild: makes the list from the official and the market tier, official over market.
 * A large rebuild takes several requests, since each must end within 25 s. Clients see the new list
 * only after the last request. Bound by docs/service.md, Admin API.
 *
 *   read the head h ─▶ read and stage a step ─▶ … ─▶ read the last step, write all (if head is h)
 * - A sync, a delete or another rebuild in between moves the head: this rebuild starts over, so
 *   that no change is lost.
 * - Without a list there is no head that a delete could move. A rebuild of one step then reads the
 *   tiers again after its write, and starts over if they differ. A rebuild of several steps always
 *   starts over, and its second round has a head.
 * - Two rebuilds at once: the second one to end starts over.
 * - A step is sent twice: it stages a piece that no cursor names.
 * - A rebuild is given up: the old list stays, and the staged pieces expire.
 */

import { ok, type Result, refuse } from '../../errors.ts'
import { refuseCursor } from '../../json/cursor.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { Tool } from '../../skills/skill.ts'
import { toListedTool } from '../tools/merge-tool-layers.ts'
import {
  announceChange,
  LIST_CONFLICT,
  LIST_WRITE_ATTEMPTS,
  type ListChange,
} from './change-tool-list.ts'
import { type RebuildPosition, readPosition, writePosition } from './rebuild-position.ts'
import { type SharedPair, walkTiers } from './walk-tiers.ts'

type Needs = Pick<Ports, 'toolListVersion' | 'clock' | 'log' | 'skills' | 'toolsCache'>

/** `nextCursor`: the rebuild is not done, and the next request sends it. `read`: skills so far. */
export type RebuildOutcome = ListChange | { readonly nextCursor: string; readonly read: number }

/** Ids in one step: as many as the gateway is built for. They take 1 s if a page takes 25 ms. */
export const STEP_IDS_MAX = 10_000
/** A step ends after this time, for large skills or a slow store: API Gateway waits for 29 s. */
export const STEP_MS_MAX = 15_000

/**
 * Does one step, or the whole rebuild if one step is enough. Refuses a cursor that no rebuild
 * issued, and with `conflict` a cursor that is too old or a rebuild that other writers overtook on
 * every try.
 */
export async function rebuildToolList(
  ports: Needs,
  settings: Settings,
  cursor?: string,
): Promise<Result<RebuildOutcome>> {
  const from = cursor === undefined ? await begin(ports, 1) : readPosition(cursor)
  if (from === undefined) return refuseCursor('body')
  for (let position = from; ; ) {
    const step = await readStep(ports, settings, position.after)
    if (step.after !== undefined) return ok(await stage(ports, position, step, step.after))
    const done = await finish(ports, settings, position, step)
    if (done !== 'overtaken') return done
    if (position.attempt >= LIST_WRITE_ATTEMPTS) return LIST_CONFLICT
    const isOneStep = position.pieces.length === 0
    position = await begin(ports, position.attempt + 1)
    if (!isOneStep) return ok({ nextCursor: writePosition(position), read: 0 })
  }
}

async function begin(ports: Needs, attempt: number): Promise<RebuildPosition> {
  const head = (await ports.toolsCache.read())?.version
  return { head, attempt, read: 0, after: undefined, pieces: [] }
}

type Step = {
  readonly tools: readonly Tool[]
  readonly read: number
  /** The id after which the next step begins; undefined after the last step. */
  readonly after: string | undefined
}

async function readStep(
  ports: Needs,
  settings: Settings,
  after: string | undefined,
): Promise<Step> {
  const startedAtMs = ports.clock.nowMs()
  const tools: Tool[] = []
  let ids = 0
  let read = 0
  let last: string | undefined
  for await (const pair of walkTiers(ports, after)) {
    const isLate = ports.clock.nowMs() - startedAtMs >= STEP_MS_MAX
    if (ids > 0 && (ids === STEP_IDS_MAX || isLate)) return { tools, read, after: last }
    const tool = toTool(ports, settings, pair)
    if (tool !== undefined) tools.push(tool)
    ids += 1
    read += pair.official !== undefined && pair.market !== undefined ? 2 : 1
    last = pair.skillId
  }
  return { tools, read, after: undefined }
}

/** True if the tiers differ from those of which the first list was made. */
async function hasChanged(ports: Needs, settings: Settings, step: Step): Promise<boolean> {
  const now = await readStep(ports, settings, undefined)
  return JSON.stringify(now.tools) !== JSON.stringify(step.tools)
}

/**
 * An official skill that cannot be listed still hides the market's, since a call resolves to it.
 */
function toTool(ports: Needs, settings: Settings, { market, official }: SharedPair) {
  const record = official ?? market
  return record === undefined ? undefined : toListedTool(ports, settings, record)
}

async function stage(
  ports: Needs,
  position: RebuildPosition,
  step: Step,
  after: string,
): Promise<RebuildOutcome> {
  const piece = await ports.toolsCache.stage(step.tools)
  const read = position.read + step.read
  const pieces = [...position.pieces, piece]
  return { nextCursor: writePosition({ ...position, read, after, pieces }), read }
}

async function finish(
  ports: Needs,
  settings: Settings,
  { head, pieces }: RebuildPosition,
  step: Step,
): Promise<Result<RebuildOutcome> | 'overtaken'> {
  const staged = await Promise.all(pieces.map((piece) => ports.toolsCache.staged(piece)))
  if (staged.includes(undefined)) return TOO_OLD
  const tools = [...staged.flatMap((piece) => piece ?? []), ...step.tools]
  if ((await ports.toolsCache.write(tools, head)) === undefined) return 'overtaken'
  const changedAtMs = await announceChange(ports)
  if (head === undefined) {
    const isOneStep = pieces.length === 0
    if (!isOneStep || (await hasChanged(ports, settings, step))) return 'overtaken'
  }
  return ok({ tools: tools.length, changedAtMs })
}

const TOO_OLD = refuse(
  'conflict',
  'cursor: is older than an hour, and what was read for it is gone. Leave it out to start over.',
)
