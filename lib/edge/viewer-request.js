/**
 * Runs in CloudFront before each request (runtime cloudfront-js-2.0), behind a line that defines
 * CONFIG (viewer-code.ts). It tells the origin the client's address, and answers a request that the
 * door would answer with 401 for want of a credential, because function URLs rename the header
 * WWW-Authenticate. The runtime has ES 5.1 and parts of ES 6 to 12, no modules, no URL and no body:
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-javascript-runtime-20.html
 */
// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it.
function handler(event) {
  const request = event.request
  // Replaces what a client sends under this name.
  request.headers[CONFIG.addressHeader] = { value: event.viewer.ip }
  const challenge = findChallenge(request)
  return challenge === undefined ? request : refuse(challenge, request.headers.origin)
}

function findChallenge(request) {
  if (request.headers.authorization !== undefined) return undefined
  const paths = CONFIG.challenges
  const path = Object.keys(paths).find((one) => one === request.uri)
  if (path === undefined || request.method === 'OPTIONS') return undefined
  const method = paths[path].method
  if (method !== undefined && method !== request.method) return undefined
  return isJudgedAtDoor(request.headers.origin) ? undefined : paths[path].value
}

/** The door refuses pages of other origins, and knows more of them than this list. */
function isJudgedAtDoor(origin) {
  if (origin === undefined) return false
  if (!/^(?:null|[a-z][a-z0-9+.-]*:\/\/[a-z0-9.:[\]-]{1,260})$/.test(origin.value)) return true
  return CONFIG.origins.indexOf('*') === -1 && CONFIG.origins.indexOf(origin.value) === -1
}

function refuse(challenge, origin) {
  const headers = {
    'content-type': { value: 'application/problem+json' },
    'cache-control': { value: 'no-store' },
    'x-content-type-options': { value: 'nosniff' },
    vary: { value: 'Origin' },
    'www-authenticate': { value: challenge },
  }
  if (origin !== undefined) {
    headers['access-control-allow-origin'] = { value: origin.value }
    headers['access-control-expose-headers'] = { value: CONFIG.exposed }
  }
  const problem = Object.assign({}, CONFIG.problem, { wwwAuthenticate: challenge })
  return {
    statusCode: 401,
    statusDescription: 'Unauthorized',
    headers: headers,
    body: { encoding: 'text', data: JSON.stringify(problem) },
  }
}
