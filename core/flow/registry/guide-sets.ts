/**
 * The guides of a set: plans what an apply would change, and applies it. A set's guides are those
 * that were applied under its name. A guide with a fault keeps all of them out.
 *
 *   read and compare all ─▶ any fault: nothing ─▶ put what differs ─▶ prune: remove what is left over
 * - A process dies in between: the same request sent again puts the rest.
 */
import { type FieldError, ok, type Result, refuse } from '../../errors.ts'
import type { GuideRecord } from '../../guides/guide.ts'
import { refuseBody } from '../../json/body-fields.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ReadGuide, readGuide, type SentGuide } from './guide-request.ts'
import { deleteGuide, isSameGuide, storeGuide } from './manage-guides.ts'

/** Guides of one set. Each is read and compared within one request. */
export const SET_GUIDES_MAX = 50
/** Records of one read while the guides of a set are searched. */
const PAGE_SIZE = 100

export type GuideSet = {
  readonly set: string
  readonly guides: readonly SentGuide[]
  /** If true, guides of the set that are not sent are removed. */
  readonly prune: boolean
}

export type GuideSetView = {
  readonly set: string
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: number
}

type Needs = Pick<Ports, 'clock' | 'digests' | 'guides' | 'skillMarkdown'>

type Plan = GuideSetView & { readonly writes: readonly ReadGuide[] }

/** Refuses with `invalid_arguments` and the errors of all guides, or with `conflict`. */
export async function planGuides(ports: Needs, request: GuideSet): Promise<Result<GuideSetView>> {
  const plan = await makePlan(ports, request)
  return plan.ok ? ok(toView(plan.value)) : plan
}

/** Refuses as `planGuides` does, and then has changed nothing. */
export async function applyGuides(
  ports: Needs,
  request: GuideSet,
  by: string,
): Promise<Result<GuideSetView>> {
  const plan = await makePlan(ports, request)
  if (!plan.ok) return plan
  for (const guide of plan.value.writes) {
    const stored = await storeGuide(ports, guide, { by, set: request.set })
    if (!stored.ok) return stored
  }
  for (const guideId of plan.value.removed) {
    const deleted = await deleteGuide(ports, guideId)
    if (!deleted.ok && deleted.error.code !== 'not_found') return deleted
  }
  return ok(toView(plan.value))
}

function toView({ writes: _, ...view }: Plan): GuideSetView {
  return view
}

async function makePlan(ports: Needs, { guides, prune, set }: GuideSet): Promise<Result<Plan>> {
  const read = await readGuides(ports, guides)
  if (!read.ok) return read
  const stored = await readStored(ports, set, new Set(read.value.map(({ guideId }) => guideId)))
  const foreign = read.value.find(({ guideId }) => isForeign(stored.get(guideId), set))
  if (foreign !== undefined) {
    const owner = stored.get(foreign.guideId)?.set
    const detail = `${foreign.guideId}: belongs to the set ${owner}, so nothing was changed; delete it there first.`
    return refuse('conflict', detail)
  }
  const writes = read.value.filter((guide) => {
    const old = stored.get(guide.guideId)
    return old === undefined || !isSameGuide(old, { ...guide, set })
  })
  const ids = writes.map(({ guideId }) => guideId)
  const sent = new Set(read.value.map(({ guideId }) => guideId))
  return ok({
    set,
    added: ids.filter((id) => !stored.has(id)),
    changed: ids.filter((id) => stored.has(id)),
    removed: prune ? [...stored.keys()].filter((id) => !sent.has(id)) : [],
    unchanged: read.value.length - writes.length,
    writes,
  })
}

function isForeign(record: GuideRecord | undefined, set: string): boolean {
  return record?.set !== undefined && record.set !== set
}

async function readGuides(
  ports: Needs,
  sent: readonly SentGuide[],
): Promise<Result<readonly ReadGuide[]>> {
  const guides: ReadGuide[] = []
  const faults: FieldError[] = []
  const seen = new Set<string>()
  for (const [index, one] of sent.entries()) {
    const at = `/guides/${index}`
    if (seen.has(one.guideId)) {
      faults.push({ pointer: `${at}/guideId`, message: 'is there twice; keep one' })
    }
    seen.add(one.guideId)
    const read = await readGuide(ports, one)
    if (read.ok) guides.push(read.value)
    else faults.push(...toFaults(at, one, read.error))
  }
  return faults.length === 0 ? ok(guides) : refuseBody(faults)
}

/** Each message begins with the guide, since nobody counts the guides of a folder. */
function toFaults(
  at: string,
  { guideId }: SentGuide,
  { detail, faults }: { readonly detail: string; readonly faults?: readonly FieldError[] },
): readonly FieldError[] {
  const named = `${guideId.slice(0, 64).toWellFormed()}: `
  return (faults ?? [{ pointer: '', message: detail }]).map(({ message, pointer }) => ({
    pointer: `${at}${pointer}`,
    message: `${named}${message}`,
  }))
}

/** Stored guides that were sent, and the others of the set. */
async function readStored(
  { guides }: Pick<Ports, 'guides'>,
  set: string,
  sent: ReadonlySet<string>,
): Promise<ReadonlyMap<string, GuideRecord>> {
  const found = new Map<string, GuideRecord>()
  let after: string | undefined
  do {
    const page = await guides.list({ after, limit: PAGE_SIZE })
    for (const record of page.records) {
      if (record.set === set || sent.has(record.guideId)) found.set(record.guideId, record)
    }
    after = page.next
  } while (after !== undefined)
  return found
}
