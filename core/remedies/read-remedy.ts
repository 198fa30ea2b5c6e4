/**
 * Reads the remedy of an answer of the admin API. A gateway of a later version may send codes that
 * this one does not know, and a broken one codes without their parameters: neither is a remedy here.
 */
import { isJsonObject, type Json } from '../json/json.ts'
import type { Remedy, ShownRemedy } from './remedy.ts'

/** The parameters of each code that its words need; all are texts. */
export const REMEDY_PARAMETERS: { readonly [code in Remedy['code']]: readonly string[] } = {
  allow_debt: [],
  approve_upstream: ['upstream'],
  confirm_secret: ['name'],
  create_user: [],
  delete_upstream: ['upstream'],
  end_used_invite: ['uid'],
  find_identity: [],
  finish_upstream: ['upstream'],
  get_role: ['role'],
  grant_initial: ['uid', 'amount'],
  grant_rest: ['uid'],
  list_admin_keys: [],
  list_failed_events: [],
  list_guides: [],
  list_keys: ['uid'],
  list_logins: ['uid'],
  list_secrets: ['uid'],
  list_shared_secrets: [],
  list_skills: [],
  list_upstreams: [],
  name_owner: [],
  name_user: ['name'],
  plan_upstream: ['upstream'],
  send_credential: [],
  send_internal_secret: [],
  set_secret: ['uid', 'name', 'skill'],
  sign_in: [],
  sync_skill: [],
  unlink_identity: ['uid', 'keyId'],
}

/** Returns undefined for what is no remedy of this version. */
export function readShownRemedy(value: Json | undefined): ShownRemedy | undefined {
  if (value === undefined || !isJsonObject(value)) return undefined
  const { code } = value
  if (typeof code !== 'string' || !isRemedyCode(code)) return undefined
  const isWhole = ['text', ...REMEDY_PARAMETERS[code]].every(
    (name) => typeof value[name] === 'string',
  )
  const { shared, ...texts } = value
  const areTexts = Object.values(texts).every((one) => typeof one === 'string')
  const isShared = shared === undefined || typeof shared === 'boolean'
  return isWhole && areTexts && isShared ? (value as ShownRemedy) : undefined
}

function isRemedyCode(code: string): code is Remedy['code'] {
  return Object.hasOwn(REMEDY_PARAMETERS, code)
}
