/**
 * Reads the stored skills of one import, whose ids begin with its prefix, and those of one set,
 * which have its name in their mark.
 */
import {
  type Hash,
  readImportMark,
  readSecretDigests,
  readSetName,
} from '../../openapi/import-mark.ts'
import { isDisabledByImport } from '../../openapi/merge-tool.ts'
import type { SecretOwners } from '../../openapi/secret-names.ts'
import type { ChosenNames } from '../../openapi/tool-name.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import type { ImportRequest } from './import-request.ts'

/** Skills in one read of the store. */
const PAGE_SKILLS = 250

export type StoredSkillNeeds = { readonly skills: Pick<Ports['skills'], 'list'> }

export type ImportPlace = {
  readonly source: 'official' | 'market'
  /** Start of the skill ids, such as `sg_petstore_`. */
  readonly start: string
  readonly prefix: string
}

/** The tier and the ids of an import's skills. */
export function toImportPlace(
  { prefix }: Settings,
  { prefix: api, source = 'official' }: Pick<ImportRequest, 'prefix' | 'source'>,
): ImportPlace {
  return { source, prefix: api, start: `${prefix}_${api}_` }
}

/** Returns skills by id, among them skills in this range of ids that no import made. */
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
      limit: PAGE_SKILLS,
    })
    for (const record of page.records) {
      if (!record.skillId.startsWith(start)) return found
      found.set(record.skillId, record)
    }
    after = page.next
  }
  return found
}

/** What stored skills of an import tell a later one. */
export type EarlierImports = {
  /** The credential behind each secret name. */
  readonly secretOwners: SecretOwners
  /** Names that an administrator chose, by operation. */
  readonly keptNames: ChosenNames
}

/**
 * Reads what earlier imports of the prefix decided. Reads both tiers, since a user's secrets are
 * used by the skills of both.
 */
export async function readEarlierImports(
  ports: StoredSkillNeeds,
  place: ImportPlace,
  hash: Hash,
): Promise<EarlierImports> {
  const tiers = await Promise.all(
    (['official', 'market'] as const).map((source) =>
      readStoredImport(ports, { ...place, source }),
    ),
  )
  const records = tiers.flatMap((tier) => [...tier.values()])
  const own = records.filter((record) => isOfImport(record, place.prefix))
  const secrets = own.flatMap(({ definition }) => Object.entries(readSecretDigests(definition)))
  const named = own.filter(({ source }) => source === place.source)
  return { secretOwners: new Map(secrets), keptNames: listChosenNames(named, hash) }
}

/** A skill that an import disabled had its name before its operation got another one. */
function listChosenNames(records: readonly SkillRecord[], hash: Hash): ChosenNames {
  const isGone = ({ definition }: SkillRecord) => isDisabledByImport(definition, hash)
  const ordered = [...records.filter(isGone), ...records.filter((one) => !isGone(one))]
  const marks = ordered.flatMap(({ definition }) => readImportMark(definition) ?? [])
  return new Map(
    marks.flatMap(({ name, operation }) =>
      name === undefined ? [] : [[operation, name] as const],
    ),
  )
}

/**
 * Returns by id the skills of the set and the skills with these ids, whoever made them. Reads the
 * whole tier, like a rebuild of the tool list.
 */
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
      limit: PAGE_SKILLS,
      ...(after === undefined ? {} : { after }),
    })
    for (const record of page.records) {
      if (ids.has(record.skillId) || readSetName(record.definition) === set) {
        found.set(record.skillId, record)
      }
    }
    after = page.next
  } while (after !== undefined)
  return found
}

/** True if the skill's mark names this import. */
export function isOfImport({ definition }: SkillRecord, prefix: string): boolean {
  return readImportMark(definition)?.prefix === prefix
}
