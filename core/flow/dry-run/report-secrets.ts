/**
 * Which secrets a call of a user would take, and why it would not get one: names and owners, never a value or its
 * length. Reads what a call reads and judges as a call does, but opens nothing.
 */
import type { DryRunProblem, SecretReport } from '../../call/dry-run.ts'
import type { Ports } from '../../ports/ports.ts'
import { fromOf, pickSecrets } from '../../secrets/pick-secrets.ts'
import type { FoundSecret } from '../../secrets/secret.ts'
import { bindingFault, readBinding } from '../../secrets/secret-binding.ts'
import type { Skill } from '../../skills/skill.ts'
import { missingFailure, type SecretsWanted } from '../execute/load-secrets.ts'
import { pathOf, refusedText } from '../execute/refused-secret.ts'
import { secretUse } from '../execute/secrets-of-call.ts'
import { skillSecretNames } from '../users/skill-origins.ts'

type Needs = Pick<Ports, 'hooks'> & { readonly secrets: Pick<Ports['secrets'], 'find'> }

/** No user has this id. */
export const NOBODY = '~'

type Reported = {
  readonly reports: readonly SecretReport[]
  readonly problems: readonly DryRunProblem[]
}

/** Throws `Fault` when the store does not answer. */
export async function reportSecrets(
  ports: Needs,
  skill: Skill,
  uid: string | undefined,
): Promise<Reported> {
  const names = skillSecretNames(ports, skill)
  if (names.length === 0) return { reports: [], problems: [] }
  const wanted = { ...secretUse(ports, skill, uid ?? NOBODY), names }
  const { skillId, source } = wanted
  const query = { uid: wanted.uid, skillId, names, withShared: source === 'official' }
  const stored = await ports.secrets.find(query)
  const { missing, picked } = pickSecrets(stored, wanted)
  const reports = names.map((name) => {
    const found = picked.find((one) => one.name === name)
    return found === undefined ? missingReport(wanted, name, uid) : reportOf(wanted, found)
  })
  const refused = reports.filter(({ state }) => state === 'refused')
  return { reports, problems: problemsOf({ wanted, missing, uid }, refused) }
}

function reportOf(wanted: SecretsWanted, secret: FoundSecret): SecretReport {
  const { name } = secret
  const fault = bindingFault(readBinding(secret.binding), wanted)
  const from = fromOf(secret)
  if (fault === undefined) return { name, state: 'found', from }
  return { name, state: 'refused', from, detail: refusedText(fault, wanted, secret) }
}

function missingReport(wanted: SecretsWanted, name: string, uid: string | undefined): SecretReport {
  return { name, state: 'missing', detail: missingText(wanted, [name], uid) }
}

/** As the call would refuse: what is missing first, then the first that it may not use. */
function problemsOf(
  of: {
    readonly wanted: SecretsWanted
    readonly missing: readonly string[]
    readonly uid: string | undefined
  },
  [refused]: readonly SecretReport[],
): readonly DryRunProblem[] {
  const { missing, uid, wanted } = of
  const absent: readonly DryRunProblem[] =
    missing.length === 0
      ? []
      : [{ code: 'secret_missing', detail: missingText(wanted, missing, uid) }]
  if (refused?.detail === undefined) return absent
  return [...absent, { code: 'secret_refused', detail: refused.detail }]
}

function missingText(
  wanted: SecretsWanted,
  names: readonly string[],
  uid: string | undefined,
): string {
  if (uid !== undefined) return missingFailure(wanted, names).detail
  const which = `secret ${names.join(', ')}: users set it themselves, and no user is named`
  const [name = '{name}'] = names
  if (wanted.source !== 'official') return `${which}. Name one in uid.`
  const path = pathOf('', { name, isShared: true })
  return `${which}, and no shared one is set. Name a user in uid, or set one for all: PUT ${path}.`
}
