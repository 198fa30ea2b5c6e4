/**
 * Makes the tools of a user's private skills follow the user's name: at PATCH of the name, and at a
 * sync that read the name before that PATCH. Names under the old name stay claimed, and calls by
 * them go on working. Bound by docs/service.md, Tool names.
 *
 *   change the name in the profile ─▶ claim it ─▶ release the old one ─▶ list the skills ─▶ claim and put each ─▶ tell open streams
 *   sync: put the skill ─▶ read the profile again ─▶ rename it if the name has changed
 * A sync that put its skill before the list was read is renamed by the walk; a later one finds the
 * new name in the profile. Two renames at once: each releases the name that it replaced, which its own write
 * tells. Dies on the way: the rest keeps its old names, and the same PATCH sent again renames it.
 */

import { ok, type Result } from '../../errors.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { checkUsername } from '../users/check-username.ts'
import { releaseUsername, withNameWarning } from '../users/claim-username.ts'
import { patchUser } from '../users/manage-users.ts'
import type { WarnedUser } from '../users/warned-user.ts'
import { type NameToolNeeds, nameTool, type SkillOwner } from './name-tool.ts'

type Needs = NameToolNeeds & Pick<Ports, 'clock' | 'log' | 'profiles' | 'usernames'>

/** Private skills in one page, and those renamed at a time: a thousand take a second or two. */
const PAGE_SKILLS = 250
const RENAMED_AT_ONCE = 20
/** Tries against syncs of the same skill. */
const PUT_ATTEMPTS = 5

/**
 * PATCH users/{uid}: body `{username?, tier?, groups?}`. A name that is sent again finishes its renaming.
 * Groups decide what the user's list has, so its open streams are told; the same groups sent again tell
 * them again, after a request that died in between.
 */
export async function changeUser(
  ports: Needs,
  settings: Settings,
  uid: string,
  body: Json,
): Promise<Result<WarnedUser>> {
  const isNamed = isJsonObject(body) && 'username' in body
  const named = checkUsername(settings, body)
  if (!named.ok) return named
  const changed = await patchUser(ports, uid, body)
  if (!changed.ok) return changed
  const { user: patched, usernameBefore } = changed.value
  if (!isJsonObject(body)) return ok(patched)
  const user = isNamed ? await withNameWarning(ports, patched) : patched
  if (usernameBefore !== undefined) await releaseUsername(ports, { uid, username: usernameBefore })
  const isRenamed = isNamed && (await renameTools(ports, settings, patched))
  if (isRenamed || 'groups' in body) {
    await ports.profiles.noteSkillsChanged(uid, ports.clock.nowMs())
  }
  return ok(user)
}

/** False when the user has no private skills. */
async function renameTools(ports: Needs, settings: Settings, owner: SkillOwner): Promise<boolean> {
  let after: string | undefined
  let count = 0
  do {
    const from = after === undefined ? {} : { after }
    const page = await ports.skills.list({
      source: 'private',
      uid: owner.uid,
      limit: PAGE_SKILLS,
      ...from,
    })
    for (let first = 0; first < page.records.length; first += RENAMED_AT_ONCE) {
      const some = page.records.slice(first, first + RENAMED_AT_ONCE)
      await Promise.all(some.map((record) => renameTool(ports, settings, owner, record)))
    }
    count += page.records.length
    after = page.next
  } while (after !== undefined)
  return count > 0
}

/**
 * The record under the name that it should have. Returned unchanged where the skill was deleted, where others
 * keep syncing it, or where all of its names are taken.
 */
export async function renameTool(
  ports: NameToolNeeds & Pick<Ports, 'log'>,
  settings: Settings,
  owner: SkillOwner,
  record: SkillRecord,
): Promise<SkillRecord> {
  const { skillId } = record
  const { uid } = owner
  const named = await nameTool(ports, settings, owner, skillId)
  if (!named.ok) {
    ports.log.note('warn', 'tool-not-renamed', { uid, skillId, code: named.error.code })
    return record
  }
  let stands: SkillRecord | undefined = record
  for (let attempt = 1; attempt <= PUT_ATTEMPTS && stands !== undefined; attempt += 1) {
    if (stands.toolName === named.value) return stands
    const { by, version } = stands
    const versionFacts = { by, origin: 'rename' as const, version: version + 1 }
    const renamed: SkillRecord = { ...stands, toolName: named.value, ...versionFacts }
    if (await ports.skills.put(renamed, stands.version)) return renamed
    stands = await ports.skills.get({ source: 'private', skillId, uid })
  }
  if (stands !== undefined) ports.log.note('warn', 'tool-not-renamed', { uid, skillId })
  return stands ?? record
}
