/**
 * Reads a guide that an administrator sent: its files, the front matter of its SKILL.md, and the
 * groups in it. Stores nothing. Bound by docs/guides.md and ext-skills.
 */
import { type FieldError, ok, type Result } from '../../errors.ts'
import { GUIDE_MAIN_FILE, type GuideFile } from '../../guides/guide.ts'
import {
  GUIDE_DESCRIPTION_CHARS_MAX,
  GUIDE_FRONT_MATTER_BYTES_MAX,
  GUIDE_ID_CHARS_MAX,
} from '../../guides/limits.ts'
import { isGuideId, readGuideFiles, type SentGuideFile } from '../../guides/read-guide.ts'
import { refuseBody } from '../../json/body-fields.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import type { Ports } from '../../ports/ports.ts'
import { GROUP_RULE, isGroupName, SKILL_GROUPS_MAX } from '../../skills/group-names.ts'

export type SentGuide = { readonly guideId: string; readonly files: readonly SentGuideFile[] }

/** A guide without its version. */
export type ReadGuide = {
  readonly guideId: string
  readonly frontMatter: JsonObject
  readonly groups: readonly string[]
  readonly files: readonly GuideFile[]
  readonly bytes: Uint8Array
}

type Needs = Pick<Ports, 'digests' | 'skillMarkdown'>

/** The member of `metadata` that names groups, between commas. */
const GROUPS_KEY = 'skillgate-groups'

export const GUIDE_ID_RULE = `must be 1 to ${GUIDE_ID_CHARS_MAX} characters of a-z, 0-9 and single hyphens, a letter or digit first and last`

/** Refuses with `invalid_arguments` and all errors of its front matter. */
export async function readGuide(
  ports: Needs,
  { files, guideId }: SentGuide,
): Promise<Result<ReadGuide>> {
  if (!isGuideId(guideId)) return refuseBody([{ pointer: '/guideId', message: GUIDE_ID_RULE }])
  const read = readGuideFiles(files, (bytes) => ports.digests.sha256Hex(bytes))
  if (!read.ok) return read
  const { main, ...content } = read.value
  const index = files.findIndex(({ path }) => path === GUIDE_MAIN_FILE)
  const refuseMain = (messages: readonly string[]) =>
    refuseBody(messages.map((message) => ({ pointer: `/files/${index}/text`, message })))
  const matter = await ports.skillMarkdown.frontMatter(main)
  if (!matter.ok) return refuseMain(listMessages(matter.error.faults, matter.error.detail))
  const frontMatter = matter.value
  const { faults, groups } = readGroups(frontMatter['metadata'])
  const wrong = [...checkFields(guideId, frontMatter), ...faults]
  return wrong.length > 0 ? refuseMain(wrong) : ok({ guideId, frontMatter, groups, ...content })
}

function listMessages(faults: readonly FieldError[] | undefined, detail: string) {
  return faults === undefined || faults.length === 0
    ? [detail]
    : faults.map(({ message }) => message)
}

function checkFields(guideId: string, frontMatter: JsonObject): readonly string[] {
  const { description, name } = frontMatter
  const faults: string[] = []
  if (name !== guideId) {
    faults.push(`name: must be ${guideId}, the id of the guide and the name of its folder`)
  }
  const isText = typeof description === 'string' && description.trim() !== ''
  if (!isText || [...description].length > GUIDE_DESCRIPTION_CHARS_MAX) {
    const max = GUIDE_DESCRIPTION_CHARS_MAX
    faults.push(`description: must be a text of 1 to ${max} characters that says when to read it`)
  }
  if (countBytes(JSON.stringify(frontMatter)) > GUIDE_FRONT_MATTER_BYTES_MAX) {
    faults.push(`the front matter has over ${GUIDE_FRONT_MATTER_BYTES_MAX} bytes; shorten it`)
  }
  return faults
}

/** A misspelled key would show the guide to everybody, so our prefix is refused with other keys. */
function readGroups(metadata: Json | undefined): {
  readonly groups: readonly string[]
  readonly faults: readonly string[]
} {
  if (metadata === undefined) return { groups: [], faults: [] }
  if (!isJsonObject(metadata)) return { groups: [], faults: ['metadata: must be a mapping'] }
  const faults = Object.keys(metadata).flatMap((key) =>
    key.startsWith('io.modelcontextprotocol/') || (/^skillgate/i.test(key) && key !== GROUPS_KEY)
      ? [`metadata: this key has no meaning here; the only one of the gateway is ${GROUPS_KEY}`]
      : [],
  )
  const value = metadata[GROUPS_KEY]
  if (value === undefined) return { groups: [], faults }
  const names = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : []
  const isList = names.length > 0 && names.length <= SKILL_GROUPS_MAX && names.every(isGroupName)
  if (isList) return { groups: [...new Set(names)].sort(), faults }
  const rule = `metadata.${GROUPS_KEY}: must be 1 to ${SKILL_GROUPS_MAX} groups between commas; each ${GROUP_RULE}`
  return { groups: [], faults: [...faults, rule] }
}
