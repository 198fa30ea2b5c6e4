/**
 * The official and the market tier side by side, in the order of their ids, from any id on: what a
 * rebuild reads, step by step, without a memory of what it has read before.
 */
import type { Ports } from '../../ports.ts'
import type { SkillRecord } from '../../skills/skill.ts'

/** What stands under one id: one record at least. */
export type SharedPair = {
  readonly skillId: string
  readonly official: SkillRecord | undefined
  readonly market: SkillRecord | undefined
}

type Needs = Pick<Ports, 'skills'>
type SharedSource = 'official' | 'market'

/** Skills read at a time from one tier: some 500 kB of usual ones, 60 MB of the largest there may be. */
export const WALK_PAGE = 250

/** Behind `after`, or from the first on. Ids of both tiers are ASCII: every store sorts them alike. */
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
    const behind = from === undefined ? {} : { after: from }
    const page = await ports.skills.list({ source, limit: WALK_PAGE, ...behind })
    yield* page.records
    from = page.next
  } while (from !== undefined)
}
