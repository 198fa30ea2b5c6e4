/** The rules between the fields of an edge. Each error is one line with field and remedy. */
import type { Stage } from '../stage.ts'
import { findEdgeOrigin } from './edge-origin.ts'

/** Returns all errors; none if the fields fit together. */
export function findEdgeErrors(stage: Stage): readonly string[] {
  return stage.edgeDomain === undefined ? findStrayFields(stage) : findErrorsOfEdge(stage)
}

function findStrayFields(stage: Stage): readonly string[] {
  const { edgeCertificateArn, edgeDirectUrls, edgeHostedZoneId } = stage
  const given = {
    edgeHostedZoneId,
    edgeCertificateArn,
    edgeDirectUrls: edgeDirectUrls || undefined,
  }
  return Object.entries(given).flatMap(([field, value]) =>
    value === undefined
      ? []
      : [
          `${field}: is set, and there is no edge without edgeDomain; give edgeDomain, or take it away`,
        ],
  )
}

function findErrorsOfEdge(stage: Stage): readonly string[] {
  const { adminAllowedCidrs, edgeCertificateArn, edgeHostedZoneId, publicOrigin } = stage
  const origin = findEdgeOrigin(stage)
  return [
    ...((edgeHostedZoneId === undefined) === (edgeCertificateArn === undefined)
      ? [
          'edgeDomain: needs edgeHostedZoneId or edgeCertificateArn, and not both; give the zone if Route 53 has the name in this account, or else the ARN of a certificate in us-east-1',
        ]
      : []),
    ...(publicOrigin === undefined || publicOrigin === origin
      ? []
      : [`publicOrigin: is ${publicOrigin}, and edgeDomain makes it ${origin}; take it away`]),
    ...(stage.restoresChallenge
      ? [
          'restoresChallenge: is true, and a distribution runs no function on an answer of 400 and above; take it away',
        ]
      : []),
    ...(adminAllowedCidrs.length > 0
      ? [
          'adminAllowedCidrs: API Gateway sees the addresses of the distribution behind an edge, and would refuse everybody; take the list away, or edgeDomain',
        ]
      : []),
  ]
}
