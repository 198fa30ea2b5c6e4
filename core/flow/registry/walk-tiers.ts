/**
 * Walks the official and the market tier side by side, in the order of their ids, from any id on.
 * So a rebuild can read them in steps, and needs nothing from the step before but its last id.
 */
import type { Ports } from '../../ports/ports.ts'
import type { SkillRecord } from '../../skills/skill.ts'

/** The records of one id; at least one of them is there. */
export type SharedPair = {
  readonly skillId: string
  readonly official: SkillRecord | undefined
  readonly market: SkillRecord | undefined
}

type Needs = Pick<Ports, 'skills'>
type SharedSource = 'official' | 'market'

/**
 * Skills read at a time from one tier: about 500 kB of usual ones, 60 MB of the largest allowed.
 */
export const WALK_PAGE = 250

/** Begins after `after`, or with the first id. Ids are ASCII, so every store sorts them alike. */
export async function* walkTiers(
  ports: Needs,
  after: string | undefined,
): AsyncGenerator<SharedPair> {
  const officials = recordsOf(ports, 'official', after)
  const markets = recordsOf(ports, 'market', after)
  let [official, market] = await Promise.all([nextOf(officials), nextOf(markets)])
  for (;;) {
    const skillId = firstOf(official?.skillId, market?.skillId)
    if (skillId === undefined) return
    const pair = {
      skillId,
      official: official?.skillId === skillId ? official : undefined,
      market: market?.skillId === skillId ? market : undefined,
    }
    yield pair
    if (pair.official !== undefined) official = await nextOf(officials)
    if (pair.market !== undefined) market = await nextOf(markets)
  }
}

async function nextOf(records: AsyncGenerator<SkillRecord>): Promise<SkillRecord | undefined> {
  const next = await records.next()
  return next.done === true ? undefined : next.value
}

function firstOf(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a < b ? a : b
}

async function* recordsOf(
  ports: Needs,
  source: SharedSource,
  after: string | undefined,
): AsyncGenerator<SkillRecord> {
  let from = after
  do {
    const start = from === undefined ? {} : { after: from }
    const page = await ports.skills.list({ source, limit: WALK_PAGE, ...start })
    yield* page.records
    from = page.next
  } while (from !== undefined)
}
