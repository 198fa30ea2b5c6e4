/** The skills of one import, found by their ids, which begin with its prefix; and those of one set, found by their mark. */
import { markOf, secretsIn, setOf } from '../../openapi/import-mark.ts'
import type { SecretOwners } from '../../openapi/secret-names.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import type { ImportRequest } from './import-request.ts'

const PAGE = 250

export type StoredSkillNeeds = { readonly skills: Pick<Ports['skills'], 'list'> }

export type ImportPlace = {
  readonly source: 'official' | 'market'
  /** `sg_petstore_` */
  readonly start: string
  readonly prefix: string
}

export function importPlaceOf(
  { prefix }: Settings,
  { prefix: api, source = 'official' }: Pick<ImportRequest, 'prefix' | 'source'>,
): ImportPlace {
  return { source, prefix: api, start: `${prefix}_${api}_` }
}

/** By id; also skills in that range that no import made, whose ids are taken. */
export async function readStoredImport(
  { skills }: StoredSkillNeeds,
  { source, start }: ImportPlace,
): Promise<ReadonlyMap<string, SkillRecord>> {
  const found = new Map<string, SkillRecord>()
  let after: string | undefined = start
  while (after !== undefined) {
    const page: Awaited<ReturnType<Ports['skills']['list']>> = await skills.list({
      source,
      after,
      limit: PAGE,
    })
    for (const record of page.records) {
      if (!record.skillId.startsWith(start)) return found
      found.set(record.skillId, record)
    }
    after = page.next
  }
  return found
}

/** Of the secrets that skills of the prefix have, in both tiers: users have one set of secrets for all. */
export async function readSecretOwners(
  ports: StoredSkillNeeds,
  place: ImportPlace,
): Promise<SecretOwners> {
  const tiers = await Promise.all(
    (['official', 'market'] as const).map((source) =>
      readStoredImport(ports, { ...place, source }),
    ),
  )
  const records = tiers.flatMap((tier) => [...tier.values()])
  const own = records.filter((record) => isOfImport(record, place.prefix))
  return new Map(own.flatMap(({ definition }) => Object.entries(secretsIn(definition))))
}

/** By id: skills of the set, and those of the ids, whoever made them. Reads the tier, as a rebuild of the list does. */
export async function readStoredSet(
  { skills }: StoredSkillNeeds,
  {
    ids,
    set,
    source,
  }: {
    readonly source: 'official' | 'market'
    readonly set: string
    readonly ids: ReadonlySet<string>
  },
): Promise<ReadonlyMap<string, SkillRecord>> {
  const found = new Map<string, SkillRecord>()
  let after: string | undefined
  do {
    const page: Awaited<ReturnType<Ports['skills']['list']>> = await skills.list({
      source,
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    })
    for (const record of page.records) {
      if (ids.has(record.skillId) || setOf(record.definition) === set) {
        found.set(record.skillId, record)
      }
    }
    after = page.next
  } while (after !== undefined)
  return found
}

export function isOfImport({ definition }: SkillRecord, prefix: string): boolean {
  return markOf(definition)?.prefix === prefix
}
