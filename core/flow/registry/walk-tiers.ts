/**
 * Walks the official and the market tier side by side, in the order of their ids, from any id on.
 * So a rebuild can read the tiers in steps, and a step needs only the last id of the step before.
 */
import type { Ports } from '../../ports/ports.ts'
import type { SkillRecord } from '../../skills/skill.ts'

/** The records of one id. At least one of the two is defined. */
export type SharedPair = {
  readonly skillId: string
  readonly official: SkillRecord | undefined
  readonly market: SkillRecord | undefined
}

type Needs = Pick<Ports, 'skills'>
type SharedSource = 'official' | 'market'

/** Skills in one page of a tier: about 500 kB of usual skills, 60 MB of the largest allowed. */
export const WALK_PAGE = 250

/**
 * Begins after the id `after`, or with the first id. Ids are ASCII, so all stores sort them alike.
 */
export async function* walkTiers(
  ports: Needs,
  after: string | undefined,
): AsyncGenerator<SharedPair> {
  const officials = listRecords(ports, 'official', after)
  const markets = listRecords(ports, 'market', after)
  let [official, market] = await Promise.all([readNext(officials), readNext(markets)])
  for (;;) {
    const skillId = chooseFirst(official?.skillId, market?.skillId)
    if (skillId === undefined) return
    const pair = {
      skillId,
      official: official?.skillId === skillId ? official : undefined,
      market: market?.skillId === skillId ? market : undefined,
    }
    yield pair
    if (pair.official !== undefined) official = await readNext(officials)
    if (pair.market !== undefined) market = await readNext(markets)
  }
}

async function readNext(records: AsyncGenerator<SkillRecord>): Promise<SkillRecord | undefined> {
  const next = await records.next()
  return next.done === true ? undefined : next.value
}

function chooseFirst(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a < b ? a : b
}

async function* listRecords(
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
