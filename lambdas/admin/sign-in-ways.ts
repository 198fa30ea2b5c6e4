/**
 * The ways in which people sign in to the console: by issuers as administrators, by issuers as
 * users, and by the gateway's own login. They follow from the settings alone. Bound by
 * docs/console-sign-in.md and ADR 0146.
 */
import { toAudienceForms } from '../../core/issuers/audience-forms.ts'
import type { Issuer } from '../../core/issuers/issuer.ts'
import { CONSOLE_CLIENT_ID } from '../../core/login/console-client.ts'
import { RESOURCE_PATHS } from '../../core/login/paths.ts'
import { ACCOUNT_SCOPE, CALL_SCOPE } from '../../core/login/token-scopes.ts'
import { isFunctionUrl } from '../../core/settings/function-url.ts'
import type { Settings } from '../../core/settings.ts'

export type SignInWay = {
  /** An issuer of the settings, or the origin of the gateway's own login. */
  readonly issuer: string
  /** What the person becomes. One issuer may have a way for each. */
  readonly audience: 'administrators' | 'users'
  /** The gateway's own login, which takes API keys and invitations. */
  readonly isOwn: boolean
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The parameter `resource` (RFC 8707); absent for an issuer that does not know it. */
  readonly resource?: string
}

/** For whom the page offers a field for a key: those for whom there is no other way. */
export type KeyWays = { readonly administrators: boolean; readonly users: boolean }

type WaySettings = Pick<Settings, 'issuers' | 'login' | 'publicOrigin'>

export function listSignInWays(settings: WaySettings, adminUrl: string): readonly SignInWay[] {
  const { issuers, login } = settings
  const resource = login === undefined ? undefined : `${login.issuer}${RESOURCE_PATHS[0]}`
  return [
    ...issuers.flatMap((issuer) => toAdminWay(issuer, adminUrl)),
    ...(login === undefined || resource === undefined
      ? []
      : [
          {
            issuer: login.issuer,
            audience: 'users' as const,
            isOwn: true,
            clientId: CONSOLE_CLIENT_ID,
            scopes: [CALL_SCOPE, ACCOUNT_SCOPE],
            resource,
          },
        ]),
    ...issuers.flatMap((issuer) => toUserWay(issuer, settings.publicOrigin)),
  ]
}

/**
 * Where people can sign in, a key is for programs. The login page of a function URL takes
 * invitations only, so users go on with keys there.
 */
export function listKeyWays({ issuers, login }: WaySettings): KeyWays {
  const takesKeys = login !== undefined && !isFunctionUrl(login.issuer)
  return {
    administrators: !issuers.some(({ admin }) => admin !== undefined),
    users: !takesKeys && !issuers.some((issuer) => issuer.console !== undefined),
  }
}

function toAdminWay({ admin, issuer }: Issuer, adminUrl: string): readonly SignInWay[] {
  if (admin === undefined) return []
  const { audiences, clientId, scopes } = admin
  const resource = audiences.includes(adminUrl) ? { resource: adminUrl } : {}
  return [{ issuer, audience: 'administrators', isOwn: false, clientId, scopes, ...resource }]
}

/** An issuer whose audience is the URL of /mcp knows resources, as in the admin API's metadata. */
function toUserWay(
  { audiences, console: ofUsers, issuer }: Issuer,
  publicOrigin: string | undefined,
): readonly SignInWay[] {
  if (ofUsers === undefined) return []
  const mcpUrl = `${publicOrigin}${RESOURCE_PATHS[0]}`
  const resource = toAudienceForms(audiences).includes(mcpUrl) ? { resource: mcpUrl } : {}
  return [{ issuer, audience: 'users', isOwn: false, ...ofUsers, ...resource }]
}
