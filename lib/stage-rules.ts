/**
 * Checks a stage before anything is built from it. Each error is one line with field, value and
 * remedy. The range of each field is in core/settings/table.ts; the rules between fields are here.
 */

import { findUnknownTiers } from '../core/issuers/issuer-setting.ts'
import { isCustomerHost } from '../core/settings/customer-hosts.ts'
import { describeWrongValue } from '../core/settings/describe-setting.ts'
import { parseEventTarget } from '../core/settings/event-target.ts'
import { LOOPBACK, SECRET_ID, STAGE } from '../core/settings/form.ts'
import { findSettingErrors, writeSettingText } from '../core/settings/read-setting.ts'
import { getAlarmAddress } from './alarm-address.ts'
import { withEdgeOrigin } from './edge/edge-origin.ts'
import { findEdgeErrors } from './edge/edge-rules.ts'
import { findArchiveErrors } from './rules-of-bill.ts'
import { findSecondRegionErrors } from './rules-of-second-region.ts'
import { isEmulated, STAGE_FIELDS, type Stage } from './stage.ts'

/**
 * Most bytes of lists. Lambda allows 4 kB of environment variables in all; the rest is names and
 * URLs. It counts them as JSON, in which a quote takes two bytes.
 */
const LISTS_BYTES_MAX = 2_048
const LISTS = [
  'allowedOrigins',
  'eventTargets',
  'issuers',
  'lambdaUpstreams',
  'loginRedirects',
  'outboundAllow',
  'privateHosts',
  'signedAccess',
  'tierLimits',
] as const

/** Returns all errors of the stage; none if it is valid. */
export function findStageErrors(stage: Stage): readonly string[] {
  const names = Object.keys(STAGE_FIELDS) as readonly (keyof typeof STAGE_FIELDS)[]
  return [
    ...(STAGE.fits(stage.name) ? [] : [describeWrongValue('name', stage.name, STAGE.rule)]),
    ...names.flatMap((name) => findSettingErrors(name, STAGE_FIELDS[name], stage[name])),
    ...findListErrors(stage),
    ...findReservationErrors(stage),
    ...findUnitErrors(stage),
    ...findEdgeErrors(stage),
    ...findLoginErrors(withEdgeOrigin(stage)),
    ...findIssuerErrors(stage),
    ...findExtensionErrors(stage),
    ...findSenderErrors(stage),
    ...findSignedHostErrors(stage),
    ...findRemovalErrors(stage),
    ...findBudgetErrors(stage),
    ...findPrivateHostErrors(stage),
    ...findArchiveErrors(stage),
    ...findSecondRegionErrors(stage),
  ]
}

/**
 * Checks the lists, which become environment variables. Lambda would refuse them late and without
 * naming them.
 */
function findListErrors(stage: Stage): readonly string[] {
  const text = LISTS.map((name) => writeSettingText(STAGE_FIELDS[name], stage[name])).filter(
    (list) => list !== '',
  )
  const bytes = Buffer.byteLength(JSON.stringify(text.join(','))) - '""'.length
  if (bytes <= LISTS_BYTES_MAX) return []
  return [`${LISTS.join(', ')}: take ${bytes} bytes together; shorten them to ${LISTS_BYTES_MAX}`]
}

/**
 * The issuer of a login stands in every token's metadata, so it must be known. At a function URL,
 * the page takes invitations only (lib/stage-warnings.ts).
 */
function findLoginErrors({ issuers, login, publicOrigin }: Stage): readonly string[] {
  if (publicOrigin !== undefined || !(login || issuers.length > 0)) return []
  if (!login) {
    return [
      'issuers: needs publicOrigin, the https origin of your own that passes requests on to the function mcp; set it, or take issuers away',
    ]
  }
  return [
    'login: needs publicOrigin, an https origin of your own that passes requests on to the function mcp. Without one, deploy without login, set publicOrigin to the origin of McpUrl (https://….lambda-url.….on.aws) and login to true, and deploy again: people then log in with invitations only',
  ]
}

/**
 * Rules of a stage that do not hold for the twin: a secret is named, not written here, and only a
 * stage on an emulator has an issuer on its own machine.
 */
function findIssuerErrors(stage: Stage): readonly string[] {
  const { issuers, tierLimits } = stage
  return issuers.flatMap((one, index) => {
    const { introspection, issuer, jwksUri } = one
    const at = `issuers[${index}]`
    const urls = { issuer, jwksUri, 'introspection.url': introspection?.url }
    const plain = Object.entries(urls).filter(
      ([, url]) => !isEmulated(stage) && url?.startsWith('http:'),
    )
    return [
      ...plain.map(([field, url]) => describeWrongValue(`${at}.${field}`, url, 'an https URL')),
      ...(introspection === undefined || SECRET_ID.fits(introspection.clientSecret)
        ? []
        : [`${at}.introspection.clientSecret: does not fit; give ${SECRET_ID.rule}`]),
      ...findUnknownTiers(at, one, tierLimits),
    ]
  })
}

function findSenderErrors({ eventTargets, eventsFrom }: Stage): readonly string[] {
  if (eventsFrom !== undefined) return []
  const mail = eventTargets.find((text) => parseEventTarget(text)?.kind === 'email')
  if (mail === undefined) return []
  return [
    `eventsFrom: is missing, and eventTargets has ${mail}; give the address that sends, which SES must have verified, or take the target away`,
  ]
}

/** The gateway's own login has neither extension. */
function findExtensionErrors({ authExtensions, issuers }: Stage): readonly string[] {
  if (authExtensions.length === 0 || issuers.length > 0) return []
  return ['authExtensions: needs issuers, which serve them; give issuers, or no extensions']
}

/**
 * At the endpoint of a service, the role of a function may do what its policy says: write the
 * ledger, and open secrets. A skill must not.
 */
function findSignedHostErrors({ signedAccess }: Stage): readonly string[] {
  return signedAccess
    .filter((entry) => !entry.startsWith('arn:') && !isCustomerHost(entry))
    .map(
      (host) =>
        `signedAccess: has ${host}, where the gateway's own role may reach the gateway's own data; list a role that skills assume, or the host of an API (execute-api, lambda-url, appsync-api)`,
    )
}

function findReservationErrors({
  reservedConcurrency = {},
  sseConcurrency,
}: Stage): readonly string[] {
  const { sse, messages, mcp } = reservedConcurrency
  const shares =
    sse === undefined || sse === sseConcurrency
      ? []
      : [`reservedConcurrency.sse: is ${sse} and sseConcurrency ${sseConcurrency}; give one number`]
  // Each POST that sse accepts goes to messages at once, so messages must have concurrency for it.
  const room =
    messages === undefined || messages >= sseConcurrency
      ? []
      : [
          `reservedConcurrency.messages: is ${messages}; give at least sseConcurrency (${sseConcurrency}), or none`,
        ]
  // All open streams may be listen streams, which take 70 % of sseConcurrency; calls need the rest.
  const listening =
    mcp === undefined || mcp >= sseConcurrency
      ? []
      : [
          `reservedConcurrency.mcp: is ${mcp}; give at least sseConcurrency (${sseConcurrency}), or none`,
        ]
  return [...shares, ...room, ...listening]
}

function findUnitErrors({
  capacity,
  provisionedUnitsMin,
  tableUnitsPerSec,
}: Stage): readonly string[] {
  if (capacity === 'on-demand' || tableUnitsPerSec === undefined) return []
  return (['write', 'read'] as const).flatMap((kind) => {
    const [least, most] = [provisionedUnitsMin[kind], tableUnitsPerSec[kind]]
    if (least <= most) return []
    return [
      describeWrongValue(
        `provisionedUnitsMin.${kind}`,
        least,
        `at most tableUnitsPerSec.${kind} (${most})`,
      ),
    ]
  })
}

/** Refuses a protected table without retained data, because `destroy` would fail halfway. */
function findRemovalErrors({ retainData, deletionProtection }: Stage): readonly string[] {
  if (retainData || !deletionProtection) return []
  return ['retainData: is false and deletionProtection true; keep the data or protect nothing']
}

function findBudgetErrors(stage: Stage): readonly string[] {
  if (stage.monthlyBudgetUsd === undefined || getAlarmAddress(stage) !== undefined) return []
  return ['monthlyBudgetUsd: has nobody to mail; give an address in alarmEmail, too']
}

/**
 * The function caller needs a network, and has one for private hosts alone. Loopback is the inside
 * of the function's own sandbox, where Lambda's Runtime API listens.
 */
function findPrivateHostErrors(stage: Stage): readonly string[] {
  const { privateHosts, reservedConcurrency = {}, vpcSecurityGroupIds, vpcSubnetIds } = stage
  const network = { vpcSubnetIds, vpcSecurityGroupIds }
  const hasHosts = privateHosts.length > 0
  const wrong = Object.entries(network).filter(([, ids]) => ids.length > 0 !== hasHosts)
  const networkErrors = wrong.map(([field]) =>
    hasHosts
      ? `${field}: is empty; give those of the network that has privateHosts`
      : `${field}: is set, and no function stands there without privateHosts; give privateHosts, or take it away`,
  )
  const own = privateHosts.filter((host) => !isEmulated(stage) && isOwnMachine(host))
  const hostErrors = own.map((host) =>
    describeWrongValue('privateHosts', host, 'a host of your network, not of the function itself'),
  )
  const isReserved = !hasHosts && reservedConcurrency.caller !== undefined
  const unused =
    'reservedConcurrency.caller: is set, and a stage without privateHosts has no caller'
  return [...networkErrors, ...hostErrors, ...(isReserved ? [`${unused}; take it away`] : [])]
}

/** True for loopback and link-local hosts, metadata services among them. */
function isOwnMachine(host: string): boolean {
  const url = URL.parse(`http://${host}`)
  if (url === null) return false
  return LOOPBACK.test(url.hostname) || /^(?:127\.|169\.254\.|\[fe80:|sandbox\.)/.test(url.hostname)
}
