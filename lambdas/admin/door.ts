/**
 * The admin function, behind a REST API: registry, users, keys, cache, broadcast, and the API of
 * users (me/answer-user.ts). Checks the route's credential before anything else about the request.
 * Bound by docs/service.md, Admin API and Admin credentials.
 *
 *   find the route ─▶ credential ─▶ role ─▶ the request's schemas ─▶ one flow, recorded if it changes ─▶ answer
 */
import {
  type AdminAnswer,
  type AdminDoor,
  type AdminRequest,
  makeAdminDoor as doorKit,
  toRefusalAnswer,
} from '../../adapters/http/admin-kit.ts'
import { findHeader } from '../../adapters/http/request.ts'
import { createRefusalCounter, type RefusalCounter } from '../../core/access/count-refusals.ts'
import { toChangedBy } from '../../core/audit/audit-record.ts'
import {
  authenticateAdmin,
  recordAdminUse,
  requireRole,
} from '../../core/flow/access/authenticate-admin.ts'
import { createV0Lookups } from '../../core/flow/access/v0-lookups.ts'
import { createAuditAppender } from '../../core/flow/audit/append-audit.ts'
import { withMigration } from '../../core/flow/migration/with-migration.ts'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import { makeLateProvision } from '../../core/flow/users/late-provision.ts'
import { CONSOLE_SIGN_IN_BYTES_MAX } from '../../core/login/limits.ts'
import type { Upstream } from '../../core/ports/outside.ts'
import type { Settings } from '../../core/settings.ts'
import type { EdgeCheck } from '../edge/edge-check.ts'
import { isCatalogRequest, markPublished, openCatalogAnswers } from './catalog.ts'
import { answerConsole, isConsolePath, type ReadConsoleFile } from './console.ts'
import { createConsoleSignIn, isConsoleSignInPath } from './console-sign-in.ts'
import { findRoute } from './find-route.ts'
import { answerUser, findUserRoute, type UserDoorState } from './me/answer-user.ts'
import { isUserPath } from './me/user-route.ts'
import { noteChange, noteForbidden, noteRefused, noteRestOfRefusals } from './note-change.ts'
import { createPlanThreads } from './plans/plan-threads.ts'
import { readRequest } from './read-request.ts'
import type { AdminPorts, RoutePorts } from './route.ts'
import { runRoute } from './run-route.ts'
import { answerMetadata, isMetadataPath, writeAdminChallenge } from './sign-in.ts'

export type { AdminPorts }

export type AdminDoorParts = {
  /** Undefined where the API is not behind an edge. */
  readonly edge?: EdgeCheck | undefined
  /** Undefined in a gateway without the console. */
  readonly readConsole?: ReadConsoleFile
  /** Asks issuers for people who sign in to the console; undefined where nobody can. */
  readonly upstream?: Upstream
}

const findNoFile: ReadConsoleFile = () => Promise.resolve(undefined)
const NO_UPSTREAM: Upstream = { send: async () => ({ kind: 'unreachable', detail: 'no upstream' }) }

/**
 * Builds the door. Plans are made in threads of their own.
 */
export function createAdminDoor(
  ports: AdminPorts,
  settings: Settings,
  { edge, readConsole = findNoFile, upstream = NO_UPSTREAM }: AdminDoorParts = {},
): AdminDoor {
  const routePorts = { ...ports, ...withMigration(ports), plans: createPlanThreads(ports) }
  const answerCatalog = openCatalogAnswers(ports, settings)
  const readPage = markPublished(readConsole, settings)
  const state: DoorState = {
    refusals: createRefusalCounter(),
    trail: createAuditAppender(ports),
    lookups: createV0Lookups(),
    lists: makeToolListCache(),
    provision: makeLateProvision(ports, settings),
  }
  const signIn = createConsoleSignIn({ ...ports, upstream }, settings)
  return doorKit({
    log: ports.log,
    admit: edge,
    handle: (request) => {
      if (isConsoleSignInPath(request.path)) return signIn(request)
      if (isConsolePath(request.path)) return answerConsole(readPage, request)
      if (isCatalogRequest(request)) return answerCatalog(request)
      const answer = isUserPath(request.path) ? answerUser : handle
      return answer(routePorts, settings, state, request)
    },
    bytesMaxOf: findBytesMax,
  })
}

/** Returns the body limit of a route if it has its own; the body is measured before it is read. */
function findBytesMax(method: string, path: string): number | undefined {
  if (isConsoleSignInPath(path)) return CONSOLE_SIGN_IN_BYTES_MAX
  const found = isUserPath(path) ? findUserRoute(method, path) : findRoute(method, path)
  return found.ok ? found.value.route.body?.bytesMax : undefined
}

type DoorState = UserDoorState & { readonly refusals: RefusalCounter }

async function handle(
  ports: RoutePorts,
  settings: Settings,
  { refusals, trail }: DoorState,
  sent: AdminRequest,
): Promise<AdminAnswer> {
  if (isMetadataPath(sent.path)) return answerMetadata(settings, sent)
  const found = findRoute(sent.method, sent.path)
  const access = found.ok ? found.value.route.access : 'either'
  const credential = {
    authorization: findHeader(sent, 'authorization'),
    adminKey: findHeader(sent, 'x-admin-key'),
  }
  const admin = await authenticateAdmin(ports, access, credential)
  if (!admin.ok) {
    noteRefused(ports, refusals, sent, admin.error)
    const isSent = Object.values(credential).some((one) => one !== undefined)
    return toRefusalAnswer(admin.error, {}, writeAdminChallenge(settings, sent, isSent))
  }
  noteRestOfRefusals(ports, refusals)
  if (!found.ok) return toRefusalAnswer(found.error.refusal, found.error.headers)
  const { route } = found.value
  const allowed = requireRole(admin.value, route.role)
  if (!allowed.ok) {
    noteForbidden(ports, route, admin.value)
    return toRefusalAnswer(allowed.error)
  }
  await recordAdminUse(ports, admin.value)
  const read = readRequest(ports.schemas, found.value, sent)
  if (!read.ok) return toRefusalAnswer(read.error)
  const request = { ...read.value, admin: admin.value }
  const answer = await runRoute(ports, settings, trail, {
    received: sent,
    request,
    route,
    who: toChangedBy(admin.value),
    place: { route: route.path },
  })
  if (!answer.ok) return toRefusalAnswer(answer.error)
  noteChange(ports, route, request, answer.value)
  return answer.value
}
