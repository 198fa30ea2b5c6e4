/**
 * The console as a client of the gateway's own login. It is not registered: its id is fixed, and its
 * one redirect URI follows from where the admin API is. So no other client can get its scope,
 * whatever it calls itself. Bound by docs/login.md and ADR 0146.
 */
import type { LoginClient } from './client-id.ts'
import { ACCOUNT_SCOPE } from './token-scopes.ts'

/** No id of a registration begins like it, and it is no URL. */
export const CONSOLE_CLIENT_ID = 'skillgate-console'

const ADMIN_END = /\/admin$/

/** The address of the console, to which people return. `adminUrl` ends in `/v1/admin`. */
export function toConsoleUrl(adminUrl: string): string {
  return adminUrl.replace(ADMIN_END, '/console/')
}

/** The console of the gateway whose admin API is at `adminUrl`. */
export function makeConsoleClient(adminUrl: string): LoginClient {
  return {
    clientId: CONSOLE_CLIENT_ID,
    name: 'Skillgate console',
    redirectUris: [toConsoleUrl(adminUrl)],
    isConsole: true,
  }
}

/** True if the client gets the scope `account`: the console does, if it asks. */
export function isAccountAsked(client: LoginClient, scope: string | undefined): boolean {
  return client.isConsole === true && (scope ?? '').split(' ').includes(ACCOUNT_SCOPE)
}
