/**
 * Makes the answer of a call that lacks secrets of its user: a question with a link for clients that
 * show links, and otherwise a failure whose text has the link. The user sets the secrets on the page
 * behind the link (core/flow/login/set-secrets.ts), and the call is made again. Loaded with the
 * first such call. Moves no money and stores nothing. Bound by docs/service.md, Asking for secrets.
 */
import { err, type Result } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../json/json.ts'
import { findLinkOrigin, SECRETS_PATH } from '../../login/paths.ts'
import { SECRET_LINK_LIFE_MS, SECRETS_PER_LINK_MAX } from '../../secrets/limits.ts'
import {
  hashOrigins,
  LINK_QUESTION,
  type ShownLink,
  sealSecretLink,
} from '../../secrets/secret-link.ts'
import { listSkillOrigins } from '../users/skill-origins.ts'
import type { CallFailure, NoResult } from './check-result.ts'
import type { ExecuteNeeds, ExecuteRequest } from './execute-request.ts'
import type { SecretsFailure } from './loaded-secrets.ts'
import { writeMissingText } from './open-secret.ts'
import { toLogin } from './secrets-of-call.ts'
import type { ReadyCall } from './validate-call.ts'

type AskingCall = Pick<ReadyCall, 'callId' | 'principal' | 'record' | 'skill'>

/** Enough that no link equals another one. */
const NONCE_BYTES = 16

/** Returns `failure` unchanged if the gateway has no page for it. Never throws. */
export async function askForSecrets(
  ports: ExecuteNeeds,
  call: AskingCall,
  failure: SecretsFailure,
  { body, linkSettings }: Pick<ExecuteRequest, 'body' | 'linkSettings'>,
): Promise<Result<never, NoResult>> {
  const { missing, ...plain } = failure
  const origin = linkSettings && findLinkOrigin(linkSettings)
  if (missing === undefined || origin === undefined) return err(plain)
  const link = await makeLink(ports, call, missing, origin)
  if (link === undefined) return err(plain)
  const { capabilities, responses } = body.input ?? {}
  if (!showsLinks(capabilities) || hasRefused(responses)) return err(addLink(plain, missing, link))
  const params = { mode: 'url', ...link }
  const question = { method: 'elicitation/create', params } as const
  return err({ inputRequests: { [LINK_QUESTION]: question }, requestState: undefined })
}

async function makeLink(
  ports: ExecuteNeeds,
  { callId, principal, record, skill }: AskingCall,
  missing: readonly string[],
  origin: string,
): Promise<ShownLink | undefined> {
  const { uid, username } = principal
  const login = toLogin(skill)?.name
  const names = missing.filter((name) => name !== login).slice(0, SECRETS_PER_LINK_MAX)
  const logsIn = login !== undefined && missing.includes(login)
  const origins = listSkillOrigins(ports, skill)
  const nonce = ports.ids.token(NONCE_BYTES)
  const link = {
    uid,
    username,
    skillId: skill.skillId,
    toolName: record.toolName,
    names,
    ...(logsIn ? { logsIn } : {}),
    originsHash: hashOrigins(ports.digests, origins),
    untilMs: ports.clock.nowMs() + SECRET_LINK_LIFE_MS,
    nonce,
  }
  try {
    // Only a function with the page makes the secret; without it, nobody has used a page yet.
    const secret = await ports.logins.readSecret()
    if (secret === undefined) return undefined
    const token = sealSecretLink(ports.seals, secret, link)
    const needs = [...names, ...(logsIn ? ['a login'] : [])].join(', ')
    const message = `The tool ${record.toolName} needs ${needs} for ${toHosts(origins)}. Open this page within 10 minutes, then go on here.`
    return { elicitationId: nonce, url: `${origin}${SECRETS_PATH}${token}`, message }
  } catch (cause) {
    ports.log.note('warn', 'secret-link-not-made', { callId, uid }, cause)
    return undefined
  }
}

function addLink({ code }: CallFailure, missing: readonly string[], link: ShownLink): CallFailure {
  return {
    code,
    detail: `${writeMissingText(missing)} The user sets it, or logs in, on this page, which works for 10 minutes: ${link.url} Show the user this link, and call again when that is done.`,
    link,
  }
}

/** `elicitation: {}` means forms alone. */
function showsLinks(capabilities: JsonObject | undefined): boolean {
  const elicitation = capabilities?.['elicitation']
  return isJsonObject(elicitation) && isJsonObject(elicitation['url'])
}

/** The person was asked and said no: the model is told, instead of a second question. */
function hasRefused(responses: JsonObject | undefined): boolean {
  const answer = responses?.[LINK_QUESTION]
  return isJsonObject(answer) && answer['action'] !== 'accept'
}

function toHosts(origins: readonly string[]): string {
  return origins.map((origin) => URL.parse(origin)?.host ?? origin).join(', ')
}
