/**
 * Finds skills for administrators by words, state and group. Words are searched in the shared tool
 * list, which a function keeps in memory, so a search reads no record that it does not name. A skill
 * outside the list (disabled, unlisted) is found by the beginning of its id. Other filters read
 * skills in the order of their ids. A request reads at most SKILLS_READ_MAX skills; its page may
 * have none and a cursor. Bound by ADR 0147.
 */
import { isJsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import type { Ports } from '../../ports/ports.ts'
import { SKILLS_PAGE_BYTES_MAX, SKILLS_READ_MAX } from '../../skills/limits.ts'
import type { SkillRecord, SkillSource, Tool } from '../../skills/skill.ts'
import { enforcePrefix } from '../../skills/tool-name.ts'
import { type SkillPage, type SkillPosition, writeSkillCursor } from './skill-pages.ts'
import { type SkillView, toSkillView } from './skill-view.ts'

/** A skill fits if it fits each member. */
export type SkillFilter = {
  /** Words that are all in the id, the name, the description or the tags; case does not count. */
  readonly search?: string | undefined
  readonly state?: string | undefined
  readonly group?: string | undefined
}

type Needs = Pick<Ports, 'skills' | 'toolsCache'>

type FindTerms = {
  readonly filter: SkillFilter
  readonly uid: string | undefined
  readonly limit: number
  /** The prefix of skill ids in this gateway. */
  readonly prefix: string
}

/** Skills that are read at once. */
const STEP = 50

/** Returns one page of the skills that fit, from the first position on. */
export async function findSkills(
  ports: Needs,
  positions: readonly SkillPosition[],
  terms: FindTerms,
): Promise<SkillPage> {
  const skills: SkillView[] = []
  let bytes = 0
  let read = 0
  let last: Pick<SkillRecord, 'skillId' | 'source'> | undefined
  for await (const { record, skillId, source } of walkTiers(ports, positions, terms)) {
    const isFull = skills.length === terms.limit || read === SKILLS_READ_MAX
    if (last !== undefined && (isFull || bytes > SKILLS_PAGE_BYTES_MAX)) {
      return { skills, nextCursor: writeSkillCursor(last) }
    }
    read += 1
    last = { skillId, source }
    if (record === undefined || !fits(record, terms.filter)) continue
    bytes += countBytes(JSON.stringify(record.definition))
    skills.push(toSkillView(record))
  }
  return { skills }
}

async function* walkTiers(
  ports: Needs,
  positions: readonly SkillPosition[],
  terms: FindTerms,
): AsyncGenerator<Candidate & { readonly source: SkillSource }> {
  const { search } = terms.filter
  const tools = search === undefined ? undefined : await ports.toolsCache.read()
  const listed = listIds(tools?.tools ?? [], toWords(search))
  for (const { after, source } of positions) {
    for await (const one of walkTier(ports, { source, after, listed }, terms)) {
      yield { ...one, source }
    }
  }
}

type Candidate = { readonly skillId: string; readonly record: SkillRecord | undefined }

type Walk = {
  readonly source: SkillSource
  readonly after: string | undefined
  /** Ids of the tool list that fit the words, in their order. */
  readonly listed: readonly string[]
}

/** Yields skills that may fit, in the order of their ids. */
async function* walkTier(
  ports: Needs,
  { after: start, listed, source }: Walk,
  { filter: { search }, prefix, uid }: FindTerms,
): AsyncGenerator<Candidate> {
  const isByWords = search !== undefined && source !== 'private'
  let after = start
  for (;;) {
    const found = isByWords
      ? await readNamed(ports, { source, after, listed }, toIdStart(prefix, search))
      : await readNext(ports, { source, uid, after })
    yield* found
    after = found.at(-1)?.skillId
    if (after === undefined || found.length < STEP) return
  }
}

async function readNext(
  { skills }: Needs,
  of: { source: SkillSource; uid: string | undefined; after: string | undefined },
): Promise<readonly Candidate[]> {
  const { records } = await skills.list({ ...toListQuery(of), limit: STEP })
  return records.map((record) => ({ skillId: record.skillId, record }))
}

/** Reads the next ids of two ordered lists: those of the tool list, and those that begin so. */
async function readNamed(
  { skills }: Needs,
  { after = '', listed, source }: Walk,
  idStart: string,
): Promise<readonly Candidate[]> {
  const from = after > idStart ? after : toPredecessor(idStart)
  const page = await skills.list({ source, after: from, limit: STEP })
  const begun = new Map(
    page.records
      .filter(({ skillId }) => skillId.startsWith(idStart))
      .map((record) => [record.skillId, record]),
  )
  const named = listed.filter((id) => id > after).slice(0, STEP)
  const ids = [...new Set([...begun.keys(), ...named])].sort().slice(0, STEP)
  return Promise.all(
    ids.map(async (skillId) => {
      const record = begun.get(skillId) ?? (await skills.get({ source, skillId }))
      return { skillId, record }
    }),
  )
}

function toListQuery({
  after,
  source,
  uid,
}: {
  source: SkillSource
  uid: string | undefined
  after: string | undefined
}) {
  return {
    source,
    ...(uid === undefined ? {} : { uid }),
    ...(after === undefined ? {} : { after }),
  }
}

/** `open weather` becomes `sg_open_weather`. */
function toIdStart(prefix: string, search: string): string {
  return enforcePrefix(prefix, toWords(search).join('_'))
}

/** A text before which no id begins with `start`; ids of shared skills are visible ASCII. */
function toPredecessor(start: string): string {
  const last = start.charCodeAt(start.length - 1)
  return `${start.slice(0, -1)}${String.fromCharCode(last - 1)}\u007f`
}

function toWords(search = ''): readonly string[] {
  return search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
}

function listIds(tools: readonly Tool[], words: readonly string[]): readonly string[] {
  const ids = tools.flatMap(({ description, name, skillId, tags = [], title = '' }) =>
    skillId !== undefined && hasWords([skillId, name, title, description, ...tags], words)
      ? [skillId]
      : [],
  )
  return [...new Set(ids)].sort()
}

function hasWords(texts: readonly string[], words: readonly string[]): boolean {
  const text = texts.join('\n').toLowerCase()
  return words.every((word) => text.includes(word))
}

function fits(
  { definition, skillId, source }: SkillRecord,
  { group, search, state }: SkillFilter,
): boolean {
  const { groups, meta, state: stored = 'listed' } = definition
  if (state !== undefined && stored !== state) return false
  if (group !== undefined && !(Array.isArray(groups) && groups.includes(group))) return false
  if (source !== 'private') return true
  const about = isJsonObject(meta) ? [meta['name'], meta['description']].map(String) : []
  return hasWords([skillId, ...about], toWords(search))
}
