/**
 * Runs a route for an administrator or a user. A route that may change something runs between two
 * records of the audit trail. The first has the request and the ids that it names, the second the
 * status and the ids that were created.
 */
import type { AdminRequest } from '../../adapters/http/admin-kit.ts'
import type { ChangedBy, Target } from '../../core/audit/audit-record.ts'
import type { AuditAppender } from '../../core/flow/audit/append-audit.ts'
import { type Change, recordChange } from '../../core/flow/audit/record-change.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import type { Settings } from '../../core/settings.ts'
import { findIds, findIdsInAnswer, listAnsweredTargets, listSentTargets } from './change-targets.ts'
import {
  type CheckedRequest,
  isRecorded,
  type RouteAnswer,
  type RouteOf,
  type RoutePorts,
} from './route.ts'

export type RouteRun<Request extends CheckedRequest> = {
  readonly route: RouteOf<Request>
  readonly request: Request
  readonly received: AdminRequest
  /** Who asks, as the trail names them. */
  readonly who: ChangedBy
  /** The route as the trail names it, and ids that stand neither in the path nor in the body. */
  readonly place: { readonly route: string; readonly target?: Target }
}

/** Returns the response of the route, or its refusal. */
export async function runRoute<Request extends CheckedRequest>(
  ports: RoutePorts,
  settings: Settings,
  trail: AuditAppender,
  run: RouteRun<Request>,
): Promise<RouteAnswer> {
  const { request, route } = run
  const work = () => route.run(ports, settings, request)
  if (!isRecorded(route, request)) return work()
  const before = await route.before?.(ports, settings, request)
  const state = before?.ok === true ? toJson(before.value) : undefined
  const { prefix } = settings
  return recordChange(ports, trail, toChange(run, state, prefix), {
    work,
    read: ({ body }) => {
      const sent = toJson(body)
      const targets = listAnsweredTargets(sent, prefix)
      return { after: readState(sent), target: findIdsInAnswer(sent), targets }
    },
  })
}

function toChange<Request extends CheckedRequest>(
  { place, received, request, route, who }: RouteRun<Request>,
  before: JsonObject | undefined,
  prefix: string,
): Change {
  const { body, params, query, text } = request
  const fields = isJsonObject(body) ? body : {}
  return {
    who,
    operation: route.operationId,
    method: route.method,
    route: place.route,
    target: {
      ...place.target,
      ...findIds(before),
      ...findIds(query),
      ...findIds(fields),
      ...findIds(params),
    },
    targets: listSentTargets(text, prefix),
    sent: { ...query, ...fields, ...(text === '' ? {} : { body: text }) },
    before,
    requestId: received.requestId,
    sourceAddress: received.sourceAddress,
  }
}

/**
 * Returns the changed record. Some responses hold the changed user as a member; warnings are not
 * part of the record.
 */
function readState(sent: JsonObject | undefined): JsonObject | undefined {
  if (sent === undefined) return undefined
  const { user, warnings: _, ...members } = sent
  return isJsonObject(user) ? user : members
}

/** Returns the response as it is sent, without members that are undefined. */
function toJson(value: object | string | undefined): JsonObject | undefined {
  if (value === undefined) return undefined
  const json: Json = JSON.parse(JSON.stringify(value))
  return isJsonObject(json) ? json : undefined
}
