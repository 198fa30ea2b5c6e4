/**
 * Reads pages of skills, tier after tier. A page is limited in skills and in bytes, since a
 * definition may have 256 kB. A cursor names the last skill of a page, so a skill that is put or
 * removed between two pages neither repeats nor hides another one.
 */
import { decodePositionPart, readCursor, writeCursor } from '../../json/cursor.ts'
import { countBytes } from '../../json/text-bytes.ts'
import type { Ports } from '../../ports/ports.ts'
import { SKILL_ID_CHARS_MAX, SKILLS_PAGE_BYTES_MAX } from '../../skills/limits.ts'
import type { SkillRecord, SkillSource } from '../../skills/skill.ts'
import { type SkillView, toSkillView } from './skill-view.ts'

export type SkillPage = { readonly skills: readonly SkillView[]; readonly nextCursor?: string }

/** Without `after` the page begins with the tier's first skill. */
export type SkillPosition = { readonly source: SkillSource; readonly after: string | undefined }

/** Returns one page that starts at the first position and continues with the next ones. */
export async function readSkillPage(
  ports: Pick<Ports, 'skills'>,
  positions: readonly SkillPosition[],
  uid: string | undefined,
  limit: number,
): Promise<SkillPage> {
  const skills: SkillView[] = []
  let bytes = 0
  for (const { source, after } of positions) {
    const { records } = await ports.skills.list({
      source,
      // One more than fits, to see if there is another page.
      limit: limit - skills.length + 1,
      ...(uid === undefined ? {} : { uid }),
      ...(after === undefined ? {} : { after }),
    })
    for (const record of records) {
      bytes += countBytes(JSON.stringify(record.definition))
      const last = skills.at(-1)
      const isFull = skills.length === limit || bytes > SKILLS_PAGE_BYTES_MAX
      // A page has at least one skill, however large.
      if (isFull && last !== undefined) return { skills, nextCursor: writeSkillCursor(last) }
      skills.push(toSkillView(record))
    }
  }
  return { skills }
}

/** The id is percent-encoded: it may have nearly any character, a cursor only visible ASCII. */
export function writeSkillCursor({
  skillId,
  source,
}: Pick<SkillRecord, 'skillId' | 'source'>): string {
  return writeCursor(`${source}:${encodeURIComponent(skillId)}`)
}

/** Reads where a page begins; undefined for a cursor that no list of these tiers issued. */
export function readPagePosition(
  cursor: string | undefined,
  tiers: readonly SkillSource[],
): SkillPosition | undefined {
  const [first] = tiers
  if (cursor === undefined)
    return first === undefined ? undefined : { source: first, after: undefined }
  const match = /^([a-z]+):(.+)$/.exec(readCursor(cursor) ?? '')
  const source = tiers.find((tier) => tier === match?.[1])
  const after = readId(match?.[2] ?? '')
  return source === undefined || after === undefined ? undefined : { source, after }
}

/** Returns undefined for text that {@link writeSkillCursor} cannot have written. */
function readId(text: string): string | undefined {
  const id = decodePositionPart(text) ?? ''
  return id === '' || [...id].length > SKILL_ID_CHARS_MAX ? undefined : id
}
