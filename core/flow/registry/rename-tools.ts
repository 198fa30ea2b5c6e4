/**
 * Renames the tools of a user's private skills when the user's name changes: at PATCH of the name,
 * and at a sync that read the name before that PATCH. Tool names with the old user name stay
 * claimed, and calls by them still work. Bound by docs/service.md, Tool names.
 *
 *   PATCH: change the name in the profile ─▶ claim it ─▶ release the old one ─▶ list the skills
 *          ─▶ claim and put each ─▶ notify open streams
 *   sync:  put the skill ─▶ read the profile again ─▶ rename the tool if the name has changed
 * - A sync puts its skill before PATCH lists the skills: PATCH renames it. A later sync reads the
 *   new name in the profile.
 * - Two renames at once: each releases the name that its own write replaced.
 * - A process dies in between: the remaining tools keep their names until the same PATCH is sent
 *   again.
 */

import { ok, type Result } from '../../errors.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { checkUsername } from '../users/check-username.ts'
import { addNameWarning, releaseUsername } from '../users/claim-username.ts'
import { patchUser } from '../users/manage-users.ts'
import { addWarnings, type WarnedUser } from '../users/warned-user.ts'
import { findLostGlobs, type RenamedTool } from './lost-globs.ts'
import { type NameToolNeeds, nameTool, type SkillOwner } from './name-tool.ts'

type Needs = NameToolNeeds &
  Pick<Ports, 'clock' | 'log' | 'profiles' | 'usernames'> & {
    readonly keys: Pick<Ports['keys'], 'list'>
  }

/** Private skills in one page, and how many are renamed at once: a thousand take 1 or 2 s. */
const PAGE_SKILLS = 250
const RENAMES_AT_ONCE = 20
/** Tries against syncs of the same skill. */
const PUT_ATTEMPTS = 5

/** Fields that decide which tools the user sees. */
const LIST_FIELDS = ['groups', 'addGroups', 'removeGroups', 'list']

/**
 * PATCH users/{uid}: body `{username?, tier?, groups?, list?}`. The same name sent again finishes
 * an interrupted rename. Groups and the kind of list decide which tools the user sees, so open
 * streams are notified. The same value sent again repeats the notice, in case an earlier request
 * died before it. Refuses an unknown user or a bad body.
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
  const user = isNamed ? await addNameWarning(ports, patched) : patched
  if (usernameBefore !== undefined) await releaseUsername(ports, { uid, username: usernameBefore })
  const renamed = isNamed ? await renameTools(ports, settings, patched) : []
  if (renamed.length > 0 || LIST_FIELDS.some((field) => field in body)) {
    await ports.profiles.noteSkillsChanged(uid, ports.clock.nowMs())
  }
  const warnings = await findLostGlobs(ports, uid, renamed)
  return ok(warnings.length === 0 ? user : addWarnings(user, warnings))
}

/** Returns the tools of the user's private skills with their names before and after. */
async function renameTools(
  ports: Needs,
  settings: Settings,
  owner: SkillOwner,
): Promise<readonly RenamedTool[]> {
  let after: string | undefined
  const renamed: RenamedTool[] = []
  do {
    const from = after === undefined ? {} : { after }
    const page = await ports.skills.list({
      source: 'private',
      uid: owner.uid,
      limit: PAGE_SKILLS,
      ...from,
    })
    for (let first = 0; first < page.records.length; first += RENAMES_AT_ONCE) {
      const some = page.records.slice(first, first + RENAMES_AT_ONCE)
      const now = await Promise.all(
        some.map((record) => renameTool(ports, settings, owner, record)),
      )
      renamed.push(
        ...some.map((record, place) => ({
          before: record.toolName,
          after: now[place]?.toolName ?? record.toolName,
        })),
      )
    }
    after = page.next
  } while (after !== undefined)
  return renamed
}

/**
 * Returns the record with the tool name of its owner's present name. Returns the record unchanged
 * if the skill was deleted, if other writers win every try, or if all of its names are taken.
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
  let stored: SkillRecord | undefined = record
  for (let attempt = 1; attempt <= PUT_ATTEMPTS && stored !== undefined; attempt += 1) {
    if (stored.toolName === named.value) return stored
    const { by, version } = stored
    const versionFacts = { by, origin: 'rename' as const, version: version + 1 }
    const renamed: SkillRecord = { ...stored, toolName: named.value, ...versionFacts }
    if (await ports.skills.put(renamed, stored.version)) return renamed
    stored = await ports.skills.get({ source: 'private', skillId, uid })
  }
  if (stored !== undefined) ports.log.note('warn', 'tool-not-renamed', { uid, skillId })
  return stored ?? record
}
