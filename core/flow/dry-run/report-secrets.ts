/**
 * Reports which secrets a call of a user would take, and why the call would not get one: names and
 * owners, never a value or its length. The reads and the rules are those of a call, but no secret
 * is opened. Bound by docs/service.md, Dry runs.
 */
import type { DryRunProblem, SecretReport } from '../../call/dry-run.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Remedy } from '../../remedies/remedy.ts'
import { showRemedy } from '../../remedies/remedy-words.ts'
import { findSecretFrom, pickSecrets } from '../../secrets/pick-secrets.ts'
import type { FoundSecret } from '../../secrets/secret.ts'
import type { Skill } from '../../skills/skill.ts'
import {
  checkUse,
  isUsableLogin,
  type SecretsWanted,
  writeMissingText,
} from '../execute/open-secret.ts'
import { findRefusedRemedy, writeRefusedText } from '../execute/refused-secret.ts'
import { toLogin, toSecretUse } from '../execute/secrets-of-call.ts'
import { listSkillSecretNames } from '../users/skill-origins.ts'

type Needs = Pick<Ports, 'hooks'> & { readonly secrets: Pick<Ports['secrets'], 'find'> }

/** Stands in for a user id when no user is named: no user has this id. */
export const NOBODY = '~'

type SecretsReport = {
  readonly reports: readonly SecretReport[]
  readonly problems: readonly DryRunProblem[]
}

/** One report for each secret that the skill names. Throws `Fault` if the store fails. */
export async function reportSecrets(
  ports: Needs,
  skill: Skill,
  uid: string | undefined,
): Promise<SecretsReport> {
  const names = listSkillSecretNames(ports, skill)
  if (names.length === 0) return { reports: [], problems: [] }
  const wanted = { ...toSecretUse(ports, skill, uid ?? NOBODY), names, login: toLogin(skill) }
  const { skillId, source } = wanted
  const query = { uid: wanted.uid, skillId, names, withShared: source === 'official' }
  const stored = await ports.secrets.find(query)
  const usable = stored.filter((secret) => isUsableLogin(wanted, secret))
  const { missing, picked } = pickSecrets(usable, wanted)
  const reports = names.map((name) => {
    const found = picked.find((one) => one.name === name)
    return found === undefined ? reportMissing(wanted, name, uid) : reportFound(wanted, found)
  })
  const refused = reports.find(({ state }) => state === 'refused')
  return { reports, problems: toProblems({ wanted, missing, uid }, refused) }
}

function reportFound(wanted: SecretsWanted, secret: FoundSecret): SecretReport {
  const { name } = secret
  const fault = checkUse(wanted, secret)
  const from = findSecretFrom(secret)
  if (fault === undefined) return { name, state: 'found', from }
  const detail = writeRefusedText(fault, wanted, secret)
  return {
    name,
    state: 'refused',
    from,
    ...showRemedy({ detail, remedy: findRefusedRemedy(fault, wanted, secret) }),
  }
}

function reportMissing(wanted: SecretsWanted, name: string, uid: string | undefined): SecretReport {
  return { name, state: 'missing', ...explainMissing(wanted, [name], uid) }
}

/** The problems in a call's order: missing secrets, then the first secret that it may not use. */
function toProblems(
  {
    missing,
    uid,
    wanted,
  }: {
    readonly wanted: SecretsWanted
    readonly missing: readonly string[]
    readonly uid: string | undefined
  },
  refused: SecretReport | undefined,
): readonly DryRunProblem[] {
  const absent: readonly DryRunProblem[] =
    missing.length === 0
      ? []
      : [{ code: 'secret_missing', ...explainMissing(wanted, missing, uid) }]
  if (refused?.detail === undefined) return absent
  const { detail, remedy } = refused
  const shown = remedy === undefined ? {} : { remedy }
  return [...absent, { code: 'secret_refused', detail, ...shown }]
}

function explainMissing(wanted: SecretsWanted, names: readonly string[], uid: string | undefined) {
  if (uid === undefined) return showRemedy(explainUnshared(wanted, names))
  const [name = ''] = names
  const { skillId: skill, source } = wanted
  const shared = source === 'official'
  return showRemedy({
    detail: writeMissingText(names),
    remedy: { code: 'set_secret', uid, name, skill, shared },
  })
}

/** Missing secrets where no user is named. */
export function explainUnshared(
  { source }: Pick<SecretsWanted, 'source'>,
  names: readonly string[],
): { readonly detail: string; readonly remedy: Remedy } {
  const shared = source === 'official'
  const which = `secret ${names.join(', ')}: users set it themselves, and no user is named`
  const [name = ''] = names
  return {
    detail: shared ? `${which}, and no shared one is set.` : `${which}.`,
    remedy: { code: 'name_user', name, shared },
  }
}
