/**
 * The definition of one route of the users' API: a route of the admin function for whoever has a
 * credential of a user. Every route is about that user alone, so no path, query or body names one.
 */
import type { AdminRequest } from '../../../adapters/http/admin-kit.ts'
import type { UserCaller } from '../../../core/flow/account/authenticate-user.ts'
import type { ToolListCache } from '../../../core/flow/tools/tool-list-cache.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import type { CheckedRequest, Properties, RouteOf, RouteShape } from '../route.ts'

/** Prefix of every path in the table; each one begins with `/me`. */
export const USER_BASE = '/v1'

/** Behind API Gateway every path begins with the stage, and the twin serves the same one. */
const USER_PATH = /^(?:\/v1)?\/me(?:\/|$)/

/** True for the paths of the users' API, those without a route among them. */
export function isUserPath(path: string): boolean {
  return USER_PATH.test(path)
}

/** A request of a user that fits the schemas of its route. */
export type UserRequest = CheckedRequest & {
  readonly caller: UserCaller
  readonly received: AdminRequest
  /** Tool lists that this process has cached. */
  readonly lists: ToolListCache
}

export type UserRoute = RouteOf<UserRequest> & {
  /**
   * `any`: every credential of the user. `managing`: only one that may manage the account
   * (core/flow/account/may-manage.ts).
   */
  readonly needs: 'any' | 'managing'
  /** The route makes a call, which execute counts in the minute of the credential. */
  readonly isCall?: true
}

/** Returns the uid of the caller. */
export function readCallerUid({ caller }: Pick<UserRequest, 'caller'>): string {
  return caller.principal.uid
}

export type SharedForm = Pick<RouteShape, 'answers' | 'body' | 'params' | 'query' | 'refuses'>

/**
 * Returns the schemas of a route of administrators for the same route of a user, without the
 * parameters that name a user. Throws an Error if the table has no such operation.
 */
export function shareForm(routes: readonly RouteShape[], operationId: string): SharedForm {
  const route = routes.find((one) => one.operationId === operationId)
  if (route === undefined) throw new Error(`There is no operation ${operationId}.`)
  const { answers, body, params, query, refuses } = route
  return {
    answers,
    refuses,
    ...(body === undefined ? {} : { body }),
    ...withoutUser('params', params),
    ...withoutUser('query', query),
  }
}

/** Returns the form with a response of another title and without some members. */
export function omitShown(form: SharedForm, title: string, names: readonly string[]): SharedForm {
  const isLeft = ([name]: readonly [string, unknown]) => !names.includes(name)
  const answers = Object.entries(form.answers).map(([status, { shown, ...answer }]) => {
    if (shown === undefined || !isJsonObject(shown.example)) return [status, answer]
    const { properties, required } = shown.schema
    const schema = {
      ...shown.schema,
      title,
      properties: Object.fromEntries(Object.entries(toObject(properties)).filter(isLeft)),
      required: Array.isArray(required)
        ? required.filter((name) => isLeft([String(name), '']))
        : [],
    }
    const example = Object.fromEntries(Object.entries(shown.example).filter(isLeft))
    return [status, { ...answer, shown: { schema, example } }]
  })
  return { ...form, answers: Object.fromEntries(answers) }
}

function toObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function withoutUser<Name extends 'params' | 'query'>(
  name: Name,
  properties: Properties = {},
): { readonly [name in Name]?: Properties } {
  const left = Object.entries(properties).filter(([one]) => one !== 'uid' && one !== 'user')
  if (left.length === 0) return {}
  return { [name]: Object.fromEntries(left) } as { readonly [name in Name]?: Properties }
}
