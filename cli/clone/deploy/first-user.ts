/**
 * Creates the first user of a stage, over its admin API. A stage that has users gets no other one.
 */
import { openAdmin } from './admin-requests.ts'

const FIRST_UID = 'first'
/** Credits of the first user; enough to try the gateway. */
const FIRST_CREDITS = 10

/** The fields are undefined if the stage had users already. */
export type FirstUser = { readonly uid?: string; readonly key?: string }

/** Creates the user and a key. Throws an Error with the text of the refusal. */
export async function createFirstUser(adminUrl: string, adminKey: string): Promise<FirstUser> {
  const send = openAdmin(adminUrl, adminKey)
  const { users = [] } = await send('GET', '/users?limit=1')
  if (users.length > 0) return {}
  const user = { uid: FIRST_UID, username: FIRST_UID, credits: FIRST_CREDITS }
  await send('POST', '/users', user)
  const { key } = await send('POST', `/users/${FIRST_UID}/keys`)
  return key === undefined ? {} : { uid: FIRST_UID, key }
}
