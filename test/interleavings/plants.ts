/**
 * The planted bugs, by scenario: a dropped condition, a swapped order, a read made eventual, a missing
 * token. Each breaks one thing that the adapters rely on, and must be found.
 */

import type { StoredAnswer } from '../../core/call/idempotency.ts'
import type { Outcome, Profile } from '../../core/ledger/ledger.ts'
import type { StorePorts } from '../../core/ports/ports.ts'
import { keyOf } from '../contracts/fresh.ts'
import {
  about,
  elsewhere,
  eventual,
  inTurn,
  replacing,
  withoutCondition,
  withoutPartCondition,
  withoutPuts,
  withoutToken,
} from './change-request.ts'
import type { WireRequest } from './model/requests.ts'
import type { Plant } from './plant.ts'

const SUM = /credits \+ holds \+ settled/
const GIVEN = /there are \d+, and were given/

const updateOf = (place: string, text: string) => (request: WireRequest) =>
  about('UpdateItem', place)(request) && request.body.UpdateExpression.includes(text)
const HOLD = updateOf('profile:', '#placed')
const SKILL_WITHOUT_TOKEN = withoutToken('skill:official')
const OVER_ANY_VERSION = withoutPartCondition('skillversion:')
const MARK = about('TransactWriteItems', 'events:pending')
/** What a sender writes whose errors were refused. */
const TAKEN_LATE = (request: WireRequest) =>
  updateOf('events:pending', 'SET #taken')(request) &&
  !request.body.UpdateExpression.includes('#errors')
const EVENT_WITHOUT_TOKEN = withoutToken('events:pending')
const OVER_ANY_SKILL = withoutPartCondition('skill:official')
const RELEASE = updateOf('profile:', 'REMOVE #holds')
const VOID = about('TransactWriteItems', 'ledger:')

/** The mark of the paid call; a void has no such part. */
const FORGIVE = (request: WireRequest) =>
  VOID(request) && JSON.stringify(request.body).includes('SET #forgave')
const TASK_END = updateOf('task:', '#status')
const TASK_CANCEL = (request: WireRequest) =>
  TASK_END(request) &&
  request.body.ConditionExpression === '(#status = :working OR #status = :asking)'
const TASK_CLAIM = updateOf('task:', 'REMOVE #data')
const TOKEN = (request: WireRequest) =>
  about('PutItem', 'auth:hash:t:')(request) &&
  request.body.ConditionExpression === 'attribute_not_exists(#pk)'
const ANCHOR = (request: WireRequest) =>
  about('PutItem', 'auth:hash:t:')(request) &&
  request.body.ConditionExpression === 'attribute_not_exists(#pk) OR #login = :login'
const SCOPE = about('TransactWriteItems', 'auth:hash:')
const CLAIM = about('PutItem', 'answer:')

const CHANGED_BUDGET = about('TransactWriteItems', 'profile:')
const WITHOUT_CHANGES = withoutCondition(CHANGED_BUDGET, ' AND #budgetChanges = :changes')

const RENEWAL = updateOf('streams', '#expiresAtMs')
const NOTED_LIST = updateOf('openings', '#listedAtMs')

const LIST_HEAD = about('PutItem', 'mcp_registry:tools_cache/head')
/** The head as a drop leaves it. */
const DROP = (request: WireRequest) => LIST_HEAD(request) && 'dropped' in request.body.Item

/** A first write whose condition is any drop in place of the one that was read. */
function afterAnyDrop(request: WireRequest): WireRequest {
  const { body } = request
  if (!LIST_HEAD(request) || body.ConditionExpression !== '#dropped = :dropped') return request
  return { ...request, body: { ...body, ConditionExpression: 'attribute_exists(#dropped)' } }
}

/** As by a correction that does not put its user into the list of debts. */
function withoutDebt(request: WireRequest): WireRequest {
  const { body } = request
  if (!about('TransactWriteItems', 'debts')(request)) return request
  const isDebt = (part: object) => JSON.stringify(part).includes('"pk":{"S":"debts"}')
  const left = (body.TransactItems ?? []).filter((part: object) => !isDebt(part))
  return { ...request, body: { ...body, TransactItems: left } as typeof body }
}

/** No month looks closed to the writer of a late batch. */
function withoutClosedMonths(ports: StorePorts): StorePorts {
  const { readHead } = ports.usageSums
  const usageSums: StorePorts['usageSums'] = {
    ...ports.usageSums,
    readHead: async (level) => {
      const head = await readHead(level)
      return level === 'month' && head !== undefined ? { ...head, closed: 0 } : head
    },
  }
  return { ...ports, usageSums }
}

/** Puts the record of an ended token where nobody looks. */
function endsElsewhere(request: WireRequest): WireRequest {
  const { body } = request
  const isEnd =
    about('PutItem', 'auth:hash:t:')(request) && JSON.stringify(body.Item['uid']) === '{"S":"-"}'
  if (!isEnd) return request
  return { ...request, body: { ...body, Item: { ...body.Item, pk: { S: 'elsewhere' } } } }
}

/** As by a first login that links the identity before it grants. */
function recordFirst(ports: StorePorts): StorePorts {
  const grant: StorePorts['ledger']['grant'] = async (of) => {
    const id = `i:${of.grantId.slice('signup-'.length)}`
    const record = { ...keyOf(id), uid: of.uid, expiresAtMs: Number.MAX_SAFE_INTEGER }
    await ports.keys.putIdentity({ record })
    return ports.ledger.grant(of)
  }
  return { ...ports, ledger: { ...ports.ledger, grant } }
}

/** As by a rebuild that forgets which list it began from. */
function overAnyList(ports: StorePorts): StorePorts {
  const { toolsCache } = ports
  const write: typeof toolsCache.write = async (tools) =>
    toolsCache.write(tools, (await toolsCache.read())?.version)
  return { ...ports, toolsCache: { ...toolsCache, write } }
}

/** An opener that does not look at leases which are younger than its own. */
function countingOlderAlone(ports: StorePorts): StorePorts {
  const { leases } = ports
  let ownMs = 0
  const put: typeof leases.put = (lease) => {
    ownMs = lease.openedAtMs
    return leases.put(lease)
  }
  const olderOf = async (listing: ReturnType<typeof leases.list>) =>
    (await listing).filter(({ openedAtMs }) => openedAtMs <= ownMs)
  const list: typeof leases.list = (nowMs) => olderOf(leases.list(nowMs))
  const listOfKey: typeof leases.listOfKey = (keyHash, nowMs) =>
    olderOf(leases.listOfKey(keyHash, nowMs))
  return { ...ports, leases: { ...leases, put, list, listOfKey } }
}

/** An opener that counts itself before it has put its lease. */
function countingFirst(ports: StorePorts): StorePorts {
  const { leases } = ports
  let counted: ReturnType<typeof leases.countOpening> | undefined
  const put: typeof leases.put = async (lease) => {
    counted = leases.countOpening(lease.openedAtMs)
    await counted
    await leases.put(lease)
  }
  const countOpening: typeof leases.countOpening = (nowMs) => counted ?? leases.countOpening(nowMs)
  return { ...ports, leases: { ...leases, put, countOpening } }
}

function listingKeysFirst(ports: StorePorts): StorePorts {
  const { profiles } = ports
  const changeKeyLimits: typeof profiles.changeKeyLimits = async (of) => {
    const keys = await of.listKeys()
    return profiles.changeKeyLimits({ ...of, listKeys: async () => keys })
  }
  return { ...ports, profiles: { ...profiles, changeKeyLimits } }
}

function releasingWhatWasRead(ports: StorePorts): StorePorts {
  const { profiles } = ports
  const change: typeof profiles.change = async (uid, to) => {
    const before = await profiles.read(uid)
    const changed = await profiles.change(uid, to)
    if (typeof changed !== 'object' || before === undefined) return changed
    const { usernameBefore: _replaced, ...after } = changed
    return before.username === after.username
      ? after
      : { ...after, usernameBefore: before.username }
  }
  return { ...ports, profiles: { ...profiles, change } }
}

function notingErrorsAlone(ports: StorePorts): StorePorts {
  const { events } = ports
  const noteTry: typeof events.noteTry = (event, tried) =>
    events.noteTry(event, { ...tried, taken: {} })
  return { ...ports, events: { ...events, noteTry } }
}

/** Of an event that is sent again. */
function forgettingTaken(request: WireRequest): WireRequest {
  const text = JSON.stringify(request.body)
  if (!MARK(request) || !text.includes('"resends":{"N"')) return request
  return {
    ...request,
    body: JSON.parse(text.replaceAll(/"taken":\{"M":\{.*?\}\}\}/g, '"taken":{"M":{}}')),
  }
}

function markingTooMuch(ports: StorePorts): StorePorts {
  const { usageSums } = ports
  const markPart: typeof usageSums.markPart = (level, { index }) =>
    usageSums.markPart(level, { index, from: 'u2 ' })
  return { ...ports, usageSums: { ...usageSums, markPart } }
}

function withoutEventsOfTools(request: WireRequest): WireRequest {
  if (!about('TransactWriteItems', 'events:tools')(request)) return request
  const TransactItems = request.body.TransactItems?.filter(
    (part) => !JSON.stringify(part).includes('"S":"events:pending"'),
  )
  return { ...request, body: { ...request.body, TransactItems } }
}

function keepingDeadline(request: WireRequest): WireRequest {
  const { body } = request
  if (!RELEASE(request) || request.operation !== 'UpdateItem') return request
  const kept = body.UpdateExpression.replace(', #deadlines.#callId', '')
  return { ...request, body: { ...body, UpdateExpression: kept } }
}

/** A sweep that takes the hold of a task for that of a call. */
function ignoringDeadlines(ports: StorePorts): StorePorts {
  const asOfCalls = (profile: Profile): Profile => ({
    ...profile,
    holds: Object.fromEntries(
      Object.entries(profile.holds).map(([callId, { untilMs: _ignored, ...hold }]) => [
        callId,
        hold,
      ]),
    ),
  })
  const readAll: typeof ports.profiles.readAll = async (uids) => {
    const found = await ports.profiles.readAll(uids)
    return new Map([...found].map(([uid, profile]) => [uid, asOfCalls(profile)]))
  }
  return { ...ports, profiles: { ...ports.profiles, readAll } }
}

/** As by a repeat that does not ask who made the call free. */
function givingWhatWasTakenBack(ports: StorePorts): StorePorts {
  const { ledger } = ports
  const asCrashed = (outcome: Outcome | undefined): Outcome | undefined =>
    outcome?.state === 'refunded' ? { ...outcome, reason: 'crashed' } : outcome
  const find: typeof ledger.find = async (key) => asCrashed(await ledger.find(key))
  const keepCharge: typeof ledger.keepCharge = async (key) =>
    asCrashed(await ledger.keepCharge(key))
  return { ...ports, ledger: { ...ledger, find, keepCharge } }
}

/** As by a repeat that takes each kept answer for a paid one of REST. */
function givingWithoutALook(ports: StorePorts): StorePorts {
  const { ledger } = ports
  const facts = { keyId: '', door: 'rest', phases: {} } as const
  const find: typeof ledger.find = async (key) => {
    const outcome = await ledger.find(key)
    return outcome?.state === 'settled' ? { ...outcome, facts } : outcome
  }
  return { ...ports, ledger: { ...ledger, find } }
}

/** A repeat that does not know that calls may go on as tasks. */
function forgettingTasks(ports: StorePorts): StorePorts {
  const { idempotencyRecords } = ports
  const forgetting = ({ task: _task, ...answer }: StoredAnswer) => answer
  const find: typeof idempotencyRecords.find = async (id) => {
    const found = await idempotencyRecords.find(id)
    return found && forgetting(found)
  }
  const claim: typeof idempotencyRecords.claim = async (request) => {
    const found = await idempotencyRecords.claim(request)
    return found.kind === 'claimed' ? found : { ...found, answer: forgetting(found.answer) }
  }
  return { ...ports, idempotencyRecords: { ...idempotencyRecords, claim, find } }
}

function prolongingNothing(ports: StorePorts): StorePorts {
  const { ledger, profiles } = ports
  const prolong: typeof ledger.prolong = ({ uid }) => profiles.read(uid)
  return { ...ports, ledger: { ...ledger, prolong } }
}

/** A reader that gives back a dead task as if its caller had taken it back. */
function voidingTheDead(ports: StorePorts): StorePorts {
  const { ledger } = ports
  const decide: typeof ledger.decide = (outcome) =>
    ledger.decide(outcome.reason === 'crashed' ? { ...outcome, reason: 'void' } : outcome)
  return { ...ports, ledger: { ...ledger, decide } }
}

/** As by a worker that takes its reply for the first one. */
function neverTaken(ports: StorePorts): StorePorts {
  const append: typeof ports.replies.append = async (reply) => {
    await ports.replies.append(reply)
    return 'appended'
  }
  return { ...ports, replies: { ...ports.replies, append } }
}

/** The repeat believes the outcome that it read. */
function keepingNoCharge(ports: StorePorts): StorePorts {
  const { ledger } = ports
  return { ...ports, ledger: { ...ledger, keepCharge: (key) => ledger.find(key) } }
}

/** As by a hash of the text in place of the arguments. */
function hashingEachSending(ports: StorePorts): StorePorts {
  const { idempotencyRecords: records } = ports
  const claim: typeof records.claim = (claim) =>
    records.claim({ ...claim, bodyHash: `${claim.bodyHash} ${claim.writeToken}` })
  return { ...ports, idempotencyRecords: { ...records, claim } }
}

export const PLANTS: readonly (Plant & { readonly scenario: string })[] = [
  {
    scenario: 'calls',
    name: 'a hold without a look at the credits',
    foundBy: /credits are -/,
    change: withoutCondition(HOLD, ' AND #credits >= :price'),
  },
  {
    scenario: 'calls',
    name: 'a debt that is not listed',
    foundBy: /the list of debts lacks/,
    change: withoutDebt,
  },
  {
    scenario: 'calls',
    name: 'a hold without a look at the budget',
    fromSeed: 60,
    foundBy: /budget of .* spent \d+ of/,
    change: withoutCondition(HOLD, ' AND #budget.#spent <= :userRoom'),
  },
  {
    scenario: 'calls',
    name: 'a hold without a look at the month',
    fromSeed: 155,
    foundBy: /budget of|spent is not an amount/,
    change: withoutCondition(HOLD, ' AND #budget.#month = :userMonth'),
  },
  {
    scenario: 'calls',
    name: 'a hold without a look at the calls of the day',
    foundBy: /calls of .*, at most/,
    change: withoutCondition(HOLD, ' AND #keyDays.#keyHash.#calls < :keyHashLimit'),
  },
  {
    scenario: 'calls',
    name: 'a hold over one of the same call',
    foundBy: SUM,
    change: withoutCondition(HOLD, ' AND attribute_not_exists(#holds.#callId)'),
  },
  {
    scenario: 'calls',
    name: 'any number of holds',
    fromSeed: 20,
    foundBy: /holds, at most/,
    change: withoutCondition(HOLD, ' AND size(#holds) < :holdsMax'),
  },
  {
    scenario: 'calls',
    name: 'a last outcome that wins',
    foundBy: /is paid for|credits \+ holds/,
    change: withoutCondition(about('PutItem', 'ledger:')),
  },
  {
    scenario: 'calls',
    name: 'a release before its outcome',
    foundBy: /credits \+ holds|is paid for/,
    swap: { first: about('PutItem', 'ledger:'), second: RELEASE },
  },
  {
    scenario: 'calls',
    name: 'a void of a call that is refunded already',
    foundBy: SUM,
    change: withoutPartCondition('ledger:'),
  },
  {
    scenario: 'calls',
    name: 'a void that does not look at the hold',
    foundBy: SUM,
    change: withoutCondition(VOID, ' AND attribute_not_exists(#holds.#callId)'),
  },
  {
    scenario: 'calls',
    name: 'an Idempotency-Key that every attempt may claim',
    foundBy: /executed \d times|charged 600000/,
    change: withoutCondition(about('PutItem', 'answer:')),
  },
  {
    scenario: 'calls over HTTP+SSE',
    name: 'a late reply that is taken for the first one',
    foundBy: /is charged, and its reply is/,
    ports: neverTaken,
  },
  {
    scenario: 'calls over HTTP+SSE',
    name: 'a charge over the void of a stream that has ended',
    foundBy: /is charged, and its reply is|credits \+ charged/,
    change: withoutCondition(about('PutItem', 'ledger:')),
  },
  {
    scenario: 'equal calls',
    name: 'a call that forgives every later one',
    foundBy: /was forgiven by 0 calls/,
    change: withoutCondition(FORGIVE, ' AND attribute_not_exists(#forgave)'),
  },
  {
    scenario: 'equal calls',
    name: 'a void of a call that forgave another one',
    foundBy: /forgave a call and is free/,
    change: withoutCondition(VOID, ' AND attribute_not_exists(#forgave)'),
  },
  {
    scenario: 'equal calls',
    name: 'a forgiveness by a call that is free',
    foundBy: /forgave a call and is free/,
    change: withoutCondition(FORGIVE, '#state = :settled AND '),
  },
  {
    scenario: 'tasks',
    name: 'a sweep that ignores the deadline of a task',
    foundBy: /was ended before its deadline/,
    ports: ignoringDeadlines,
  },
  {
    scenario: 'tasks',
    name: 'a task that ends twice',
    foundBy: /is (cancelled|failed), charged|completed, cancelled/,
    change: withoutCondition(updateOf('task:', '#status'), '#status = :working AND '),
  },
  {
    scenario: 'tasks',
    name: 'a repeat that goes by the age of the first call alone',
    foundBy: /was voided by a repeat|runs again/,
    ports: forgettingTasks,
  },
  {
    scenario: 'tasks',
    name: 'a dead task whose key is free again',
    foundBy: /runs again, and its task is failed/,
    ports: voidingTheDead,
  },
  {
    scenario: 'tasks that ask',
    name: 'a claim over one that came first',
    foundBy: /ran twice/,
    change: withoutCondition(TASK_CLAIM, ' AND #writer = :over'),
  },
  {
    scenario: 'tasks that ask',
    name: 'an answer that comes behind its hour',
    foundBy: /ran behind its hour/,
    change: withoutCondition(TASK_CLAIM, ' AND #aliveUntilMs >= :nowMs'),
  },
  {
    scenario: 'tasks that ask',
    name: 'a hold that keeps the deadline of its first round',
    foundBy: /was given back while it asked/,
    ports: prolongingNothing,
  },
  {
    scenario: 'tasks that ask',
    name: 'a task that ends in the name of a worker before',
    foundBy: /completed, cancelled|is (cancelled|failed|input_required), charged/,
    change: withoutCondition(
      updateOf('task:', '#status'),
      '#status = :working AND #worker = :worker',
    ),
  },
  {
    scenario: 'tasks',
    name: 'a read that fails a task whose lease was renewed',
    foundBy: /failed, alive/,
    change: withoutCondition(updateOf('task:', '#status'), ' AND #aliveUntilMs < :dueMs'),
  },
  {
    scenario: 'tasks',
    name: 'any number of tasks',
    foundBy: /tasks, at most/,
    change: withoutCondition(HOLD, ' AND size(#deadlines) < :holdsMax'),
  },
  {
    scenario: 'tasks',
    name: 'a hold of a call that counts tasks which have ended',
    foundBy: /calls, at most/,
    change: withoutCondition(HOLD, ' AND size(#deadlines) >= :tasks'),
  },
  {
    scenario: 'tasks',
    name: 'a release that leaves the deadline',
    foundBy: /a deadline has no hold/,
    change: keepingDeadline,
  },
  {
    scenario: 'jobs',
    name: 'a question whenever anybody polls',
    foundBy: /was asked twice/,
    change: withoutCondition(updateOf('job:', '#nextAtMs'), ' AND #nextAtMs <= :nowMs'),
  },
  {
    scenario: 'jobs',
    name: 'a cancellation of a job that has ended',
    foundBy: /is (cancelled|failed), charged|charged for nothing/,
    change: withoutCondition(TASK_CANCEL),
  },
  {
    scenario: 'calls',
    name: 'a void of a call whose answer was given again',
    foundBy: /was given again, and is free/,
    change: withoutCondition(VOID, ' AND attribute_not_exists(#chargeStays)'),
  },
  {
    scenario: 'keyed calls',
    name: 'a kept answer of a call that was taken back',
    foundBy: /was given again, and is free/,
    ports: givingWhatWasTakenBack,
  },
  {
    scenario: 'keyed calls',
    name: 'a kept answer without a look at its outcome',
    foundBy: /was given again, and is free/,
    ports: givingWithoutALook,
  },
  {
    scenario: 'keyed calls',
    name: 'a charge that stays although it was given back',
    foundBy: /was given again, and is free/,
    ports: keepingNoCharge,
  },
  {
    scenario: 'keyed calls',
    name: 'arguments that are told apart by how they were sent',
    foundBy: /was told of other arguments/,
    ports: hashingEachSending,
  },
  {
    scenario: 'keyed calls',
    name: 'a record that two waiting repeats replace',
    foundBy: /executed \d times|charged 600000/,
    change: replacing(CLAIM, '#writeToken = :over', '#pk <> :over'),
  },
  {
    scenario: 'keys',
    name: 'a key without the token of its put',
    foundBy: /was revoked|no list shows it/,
    change: withoutToken('auth:hash:'),
  },
  {
    scenario: 'keys',
    name: 'a key before its entry in the list',
    foundBy: /works, and no list shows it/,
    swap: { first: about('PutItem', 'keys:'), second: about('TransactWriteItems', 'auth:hash:') },
  },
  {
    scenario: 'keys',
    name: 'a key that is read eventually',
    foundBy: /does not know|which was revoked/,
    change: eventual(about('GetItem', 'auth:hash:')),
  },
  {
    scenario: 'keys',
    name: 'a renewal of a key that is gone',
    foundBy: /no list shows it|belongs to nobody|is not text/,
    change: withoutCondition(about('UpdateItem', 'auth:hash:')),
  },
  {
    scenario: 'keys',
    name: 'a scope without the count of its changes and without the token of its write',
    foundBy: /came after it|is gone/,
    change: inTurn(
      withoutToken('auth:hash:'),
      inTurn(
        withoutCondition(SCOPE, ' AND #scopeChanges = :changesBefore'),
        withoutCondition(SCOPE, ' AND attribute_not_exists(#scopeChanges)'),
      ),
    ),
  },
  {
    scenario: 'logins',
    name: 'a login that is written over any other',
    foundBy: /gave tokens twice|outlives|though its key was revoked/,
    change: withoutCondition(about('PutItem', 'login:'), '#version = :version AND '),
  },
  {
    scenario: 'logins',
    name: 'a token that a late copy of its put brings back',
    foundBy: /outlives|though its key was revoked|has the scope/,
    change: withoutCondition(TOKEN),
  },
  {
    scenario: 'logins',
    name: 'an anchor that is put over the end of its login',
    foundBy: /a session outlives its login/,
    change: withoutCondition(ANCHOR),
  },
  {
    scenario: 'logins',
    name: 'a key that is read eventually for a token',
    foundBy: /outlives|has the scope/,
    change: eventual(about('GetItem', 'auth:hash:k')),
  },
  {
    scenario: 'logins',
    name: 'a login that ends without its tokens',
    foundBy: /outlives|though its key was revoked|has the scope/,
    change: endsElsewhere,
  },
  {
    scenario: 'identities',
    name: 'an invitation that is used again',
    foundBy: /came by/,
    change: withoutCondition(
      about('TransactWriteItems', 'identity_invite:'),
      ' AND attribute_not_exists(#usedBy)',
    ),
  },
  {
    scenario: 'identities',
    name: 'an invitation that is written over any other',
    foundBy: /came by/,
    change: withoutCondition(about('PutItem', 'identity_invite:')),
  },
  {
    scenario: 'identities',
    name: 'a login that is linked over another user',
    foundBy: /two users|lost its user/,
    change: withoutPartCondition('auth:hash:i:'),
  },
  {
    scenario: 'identities',
    name: 'a login that a late copy of its link brings back',
    foundBy: /an unlinked login returned/,
    change: withoutToken('auth:hash:i:'),
  },
  {
    scenario: 'identities',
    name: 'a record that is written before the credits',
    foundBy: /served before its credits/,
    ports: recordFirst,
  },
  {
    scenario: 'invitations',
    name: 'an invitation that any browser may use again',
    foundBy: /was used by two browsers/,
    change: withoutCondition(about('PutItem', 'invite:')),
  },
  {
    scenario: 'invitations',
    name: 'an invitation that remembers only the first try of its browser',
    foundBy: /got another answer for the same form/,
    change: withoutCondition(about('PutItem', 'invite:'), ' OR #loginId = :loginId'),
  },
  {
    scenario: 'invitations',
    name: 'a key of an invitation that is read eventually for a token',
    foundBy: /outlives its invitation/,
    change: eventual(about('GetItem', 'auth:hash:n:')),
  },
  {
    scenario: 'migration',
    name: 'a move that ignores changes since its read',
    foundBy: GIVEN,
    change: withoutPartCondition('credits:'),
  },
  {
    scenario: 'migration',
    name: 'a key that is moved although its old record is gone',
    foundBy: /a revoked key lives/,
    change: withoutPartCondition('user:uid:'),
  },
  {
    scenario: 'secrets',
    name: 'a secret without the token of its write',
    fromSeed: 160,
    foundBy: /came after it|is gone/,
    change: withoutToken('skill:secrets:'),
  },
  {
    scenario: 'secrets',
    name: 'a record of secrets without a limit',
    foundBy: /6[56] secrets/,
    change: withoutCondition(
      about('TransactWriteItems', 'skill:secrets:'),
      '(attribute_exists(#sealed.#name) OR size(#sealed) < :max) AND ',
    ),
  },
  {
    scenario: 'secrets',
    name: 'a first secret over the first of another',
    foundBy: /is gone|which was stored/,
    change: withoutCondition(
      about('TransactWriteItems', 'skill:secrets:'),
      'attribute_not_exists(#pk)',
    ),
  },
  {
    scenario: 'secrets',
    // A copy of a refused put, or of a refused removal, is carried out after room or a value was made.
    name: 'a secret without the count of removals',
    fromSeed: 900,
    foundBy: /although it was refused|is gone|does not find/,
    change: inTurn(
      withoutCondition(about('TransactWriteItems', 'skill:secrets:'), ' AND #removals = :removals'),
      withoutCondition(
        about('TransactWriteItems', 'skill:secrets:'),
        ' AND attribute_not_exists(#removals)',
      ),
    ),
  },
  {
    scenario: 'shared secrets',
    name: 'a shared secret without the token of its write',
    fromSeed: 85,
    foundBy: /came after it|is gone/,
    change: withoutToken('secrets:shared'),
  },
  {
    scenario: 'shared secrets',
    name: 'a shared secret without the count of removals',
    fromSeed: 237,
    foundBy: /although it was refused|is gone|does not find|nobody put before it/,
    change: inTurn(
      withoutCondition(about('TransactWriteItems', 'secrets:shared'), ' AND #removals = :removals'),
      withoutCondition(
        about('TransactWriteItems', 'secrets:shared'),
        ' AND attribute_not_exists(#removals)',
      ),
    ),
  },
  {
    scenario: 'secrets',
    name: 'secrets that are read eventually',
    foundBy: /does not find|reads an old value/,
    change: eventual(about('BatchGetItem', 'skill:secrets:')),
  },
  {
    scenario: 'sessions',
    name: 'a POST that does not know its own write',
    foundBy: /has two numbers/,
    change: withoutCondition(
      about('UpdateItem', 'session:'),
      ' AND NOT contains(#writeTokens, :writeToken)',
    ),
  },
  {
    scenario: 'sessions',
    name: 'a POST to a stream that has ended',
    foundBy: /was accepted after the end/,
    change: withoutCondition(
      updateOf('session:', '#pending'),
      ' AND attribute_not_exists(#endedAtMs)',
    ),
  },
  {
    scenario: 'sessions',
    name: 'an end that misses a POST',
    foundBy: /although \d+ was accepted/,
    change: withoutCondition(updateOf('session:', '#endedAtMs'), ' AND #seq = :ifSeq'),
  },
  {
    scenario: 'sessions',
    name: 'a second reply over the first',
    foundBy: /two replies were appended|is not the first one/,
    change: withoutCondition(about('PutItem', 'session:')),
  },
  {
    scenario: 'sessions',
    name: 'delivered requests that are forgotten twice',
    foundBy: /is not \d+ \+/,
    change: withoutCondition(updateOf('session:', '#base'), '#base = :from AND '),
  },
  {
    scenario: 'leases',
    name: 'a lease without the token of its put',
    fromSeed: 8_300,
    foundBy: /back after its removal/,
    change: withoutToken('streams'),
  },
  {
    scenario: 'leases',
    name: 'leases that are read eventually',
    fromSeed: 100,
    foundBy: /streams of/,
    change: eventual(about('Query', 'streams')),
  },
  {
    scenario: 'leases',
    name: 'a lease after the list of leases',
    // The opener does not find its own lease, and is refused; the lease comes all the same.
    foundBy: /no stream opens/,
    swap: { first: about('TransactWriteItems', 'streams'), second: about('Query', 'streams') },
  },
  {
    scenario: 'leases',
    name: 'openers that count older streams alone',
    fromSeed: 600,
    foundBy: /streams of/,
    ports: countingOlderAlone,
  },
  {
    scenario: 'leases',
    name: 'an opener that counts itself before its lease',
    fromSeed: 2_950,
    foundBy: /streams of/,
    ports: countingFirst,
  },
  {
    scenario: 'leases',
    name: 'a list that is noted over another',
    fromSeed: 600,
    foundBy: /streams of/,
    change: withoutCondition(NOTED_LIST),
  },
  {
    scenario: 'leases',
    name: 'a stream that takes a failed renewal for one',
    fromSeed: 2_200,
    foundBy: /streams of|has no lease/,
    ports: (ports) => ({
      ...ports,
      leases: { ...ports.leases, renew: (lease) => ports.leases.renew(lease).catch(() => true) },
    }),
  },
  {
    scenario: 'leases',
    name: 'a late renewal that shortens a lease',
    foundBy: /shorter than was confirmed/,
    change: withoutCondition(RENEWAL, ' AND #expiresAtMs <= :expiresAtMs'),
  },
  {
    scenario: 'leases',
    name: 'a renewal of a lease that another stream removed',
    foundBy: /outlives its place/,
    change: withoutCondition(RENEWAL),
  },
  {
    scenario: 'lists',
    name: 'a tool list over one that was not read',
    // A late copy brings back a head whose parts the next list has deleted.
    foundBy: /is listed with|its parts are missing/,
    change: withoutCondition(about('PutItem', 'mcp_registry:tools_cache/head')),
  },
  {
    scenario: 'lists',
    name: 'the head of a tool list before its parts',
    foundBy: /parts are missing/,
    swap: {
      first: about('PutItem', 'mcp_registry:tools_cache/2'),
      second: about('PutItem', 'mcp_registry:tools_cache/head'),
    },
  },
  {
    scenario: 'lists',
    // Either of the two refuses a late copy (docs/design/skills.md#versions).
    name: 'a skill without the token of its write, nor the condition of its version',
    fromSeed: 970,
    foundBy: /came after it|is gone/,
    change: (request) => OVER_ANY_VERSION(SKILL_WITHOUT_TOKEN(request)),
  },
  {
    scenario: 'lists',
    // A first put that lost has met `attribute_not_exists`, which a deletion meets again; no token knows
    // it, since it was refused (docs/design/skills.md#versions).
    name: 'a skill without the condition of its version',
    fromSeed: 970,
    foundBy: /came after it/,
    change: OVER_ANY_VERSION,
  },
  {
    scenario: 'lists',
    name: 'a version of the list that goes back',
    foundBy: /went back/,
    change: withoutCondition(about('UpdateItem', 'mcp_broadcast:tools_changed/')),
  },
  {
    scenario: 'lists',
    name: 'a copy of the version of the list that goes back',
    foundBy: /went back in .*:\d/,
    change: withoutCondition(about('UpdateItem', 'mcp_broadcast:tools_changed:')),
  },
  {
    scenario: 'lists',
    name: 'a broadcast that leaves a copy out',
    foundBy: /tools_changed:7 lacks the version/,
    change: elsewhere(about('UpdateItem', 'mcp_broadcast:tools_changed:7'), 'elsewhere'),
  },
  {
    scenario: 'private skills',
    name: 'a tool name that every skill may claim',
    foundBy: /two skills have one tool name|claimed for/,
    change: withoutCondition(about('PutItem', 'toolname:')),
  },
  {
    scenario: 'private skills',
    name: 'a time of the last change that goes back',
    foundBy: /went back/,
    change: withoutCondition(
      updateOf('profile:', '#skillsChangedAtMs = :nowMs'),
      ' AND #skillsChangedAtMs < :nowMs',
    ),
  },
  {
    scenario: 'users',
    name: 'a change of a user over another one',
    foundBy: /otherwise than|wrong place|no list of|leads elsewhere|after it|after the deletion/,
    change: withoutCondition(about('TransactWriteItems', 'profile:'), '#edits = :editsBefore'),
  },
  {
    scenario: 'budgets',
    // Either of the two refuses a copy of a change that was made.
    name: 'a changed budget without the token of its write, nor the count of changes',
    foundBy: /came after it|is gone/,
    change: inTurn(withoutToken('profile:'), WITHOUT_CHANGES),
  },
  {
    scenario: 'budgets',
    // No token knows a copy of a change that was refused.
    name: 'a changed budget without the count of changes',
    fromSeed: 1_487,
    foundBy: /came after it|is gone/,
    change: WITHOUT_CHANGES,
  },
  {
    scenario: 'budgets',
    // A key that is issued after the list has its budget before the profile is read.
    name: 'a list of keys from before the profile was read',
    foundBy: /came after it|is gone/,
    ports: listingKeysFirst,
  },
  {
    scenario: 'sub-keys',
    name: 'a sub-key without the count of changes',
    foundBy: /sub-keys, at most|is back|has no limit/,
    change: WITHOUT_CHANGES,
  },
  {
    scenario: 'trail',
    name: 'a record of a change that does not look at the head',
    foundBy: /chain has faults|given twice|and is gone/,
    change: withoutPartCondition('audit:'),
  },
  {
    scenario: 'trail',
    name: 'an administrator’s key without the token of its put',
    fromSeed: 270,
    foundBy: /of an administrator is back/,
    change: withoutToken('admin_keys'),
  },
  {
    scenario: 'trail',
    name: 'a use that makes an administrator’s key again',
    foundBy: /keys have|has no name/,
    change: withoutCondition(about('UpdateItem', 'admin_keys')),
  },
  {
    scenario: 'usage',
    name: 'a page of calls that is taken for stored',
    foundBy: /the sums from .* are/,
    ports: (ports) => ({ ...ports, usagePages: { ...ports.usagePages, put: async () => {} } }),
  },
  {
    scenario: 'usage',
    name: 'a late batch that corrects the day and forgets the month',
    foundBy: /the sums from 2033-05-01T.* are/,
    ports: withoutClosedMonths,
  },
  {
    scenario: 'usage',
    name: 'a run whose steps are used up and that marks too much as written',
    foundBy: /the sums from 2033-05-01T.* are/,
    ports: markingTooMuch,
  },
  {
    scenario: 'usage',
    name: 'a part of the details over any version of it',
    foundBy: /the sums from .* are/,
    change: withoutCondition(about('PutItem', 'usage:detail')),
  },
  {
    scenario: 'answers',
    name: 'a second answer over the first',
    foundBy: /two answers were taken|is gone|is not read/,
    change: withoutCondition(about('UpdateItem', 'input:'), ' AND attribute_not_exists(#sealed)'),
  },
  {
    scenario: 'answers',
    name: 'a day of the last use that goes back',
    foundBy: /went back/,
    change: withoutCondition(about('UpdateItem', 'secrets:used')),
  },
  {
    scenario: 'skill sets',
    name: 'a skill over any version of it',
    foundBy: /two definitions/,
    change: (request) => OVER_ANY_VERSION(OVER_ANY_SKILL(request)),
  },
  {
    scenario: 'skill sets',
    // The plan that ends an apply must see the puts of the others.
    name: 'a tier that is read eventually',
    fromSeed: 400,
    foundBy: /skills of two applies|are stored|came after it/,
    change: eventual(about('Query', 'skill:official')),
  },
  {
    scenario: 'skill sets',
    name: 'a tool list over one that was not read',
    fromSeed: 554,
    foundBy: /listed .*, stored|parts are missing/,
    change: withoutCondition(about('PutItem', 'mcp_registry:tools_cache/head')),
  },
  {
    scenario: 'skill versions',
    name: 'a change over any version of the skill',
    foundBy: /two definitions|not \d+$|made no version/,
    change: (request) => OVER_ANY_VERSION(OVER_ANY_SKILL(request)),
  },
  {
    scenario: 'staged lists',
    name: 'a rebuild over a list that it did not begin from',
    foundBy: /listed .*, stored/,
    ports: overAnyList,
  },
  {
    scenario: 'staged lists',
    name: 'a drop of any list',
    fromSeed: 560,
    foundBy: /is gone, undropped/,
    change: withoutCondition(DROP),
  },
  {
    scenario: 'staged lists',
    // As before drops had names: a late copy of a first write brings the list back, whose parts are deleted.
    name: 'a first write after any drop',
    fromSeed: 70,
    foundBy: /parts of .* are missing|is back/,
    change: afterAnyDrop,
  },
  {
    scenario: 'issuer keys',
    name: 'a put over keys of any fetch',
    foundBy: /earlier fetch are back|answered are not stored/,
    change: withoutCondition(about('PutItem', 'jwks:')),
  },
  {
    scenario: 'upstreams',
    name: 'a put over a record of any version',
    foundBy: /two writers replaced one record|is back/,
    change: withoutPartCondition('mcp_upstreams'),
  },
  {
    scenario: 'guides',
    name: 'a put over a guide of any version',
    foundBy: /two writers replaced one guide|is back/,
    change: withoutPartCondition('guides'),
  },
  {
    scenario: 'usernames',
    name: 'a claim over another of the same version',
    foundBy: /without a warning|lacks/,
    change: withoutCondition(about('PutItem', 'username:')),
  },
  {
    scenario: 'usernames',
    // A renaming reads the profile, too, and may find no user: that is another violation.
    name: 'users of a claim read from an older state',
    foundBy: /without a warning|lacks/,
    change: eventual(about('GetItem', 'profile:')),
  },
  {
    scenario: 'usernames',
    // As by a reading of the profile before the change: another rename may come in between.
    name: 'a rename that does not tell which name it replaced',
    foundBy: /left in the claim/,
    ports: releasingWhatWasRead,
  },
  {
    scenario: 'events',
    name: 'the end of an earlier sending that ends a later one',
    foundBy: /not delivered again/,
    change: inTurn(
      withoutCondition(MARK, ' AND #resends = :resends'),
      withoutCondition(MARK, ' AND attribute_not_exists(#resends)'),
    ),
  },
  {
    scenario: 'events',
    name: 'a mark over one that another process has set',
    foundBy: /more events than crossings/,
    change: withoutCondition(MARK, ' AND attribute_not_exists(#lowBalanceTold)'),
  },
  {
    scenario: 'events',
    name: 'a mark that looks at no credits',
    fromSeed: 1_600,
    foundBy: /more events than crossings/,
    change: withoutCondition(MARK, ' AND #credits = :credits'),
  },
  {
    scenario: 'events',
    // Only the put of a test has no other part in its transaction.
    name: 'a test event without the token of its put',
    fromSeed: 170,
    foundBy: /is in 2 lists/,
    change: (request) =>
      request.body.TransactItems?.length === 1 ? EVENT_WITHOUT_TOKEN(request) : request,
  },
  {
    scenario: 'events',
    name: 'a mark without its event',
    foundBy: /told of by no event|0 events of/,
    change: withoutPuts(MARK),
  },
  {
    scenario: 'events',
    name: 'a try that does not note who took the event',
    foundBy: /its success was noted/,
    ports: notingErrorsAlone,
  },
  {
    scenario: 'events',
    name: 'a sender that was overtaken and does not note who took the event',
    fromSeed: 60,
    foundBy: /its success was noted/,
    change: elsewhere(TAKEN_LATE, 'events:nowhere'),
  },
  {
    scenario: 'events',
    name: 'a resend that forgets who took the event that failed',
    foundBy: /which it took before the resend/,
    change: forgettingTaken,
  },
  {
    scenario: 'failing tools',
    name: 'a slot of tools that is judged over another sweep',
    foundBy: /is told of twice/,
    change: withoutPartCondition('events:tools'),
  },
  {
    scenario: 'failing tools',
    name: 'tools that are stored as failing without an event',
    foundBy: /is stored as failing: $/,
    change: withoutEventsOfTools,
  },
]
