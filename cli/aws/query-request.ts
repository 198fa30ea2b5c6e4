/** Requests of services that speak AWS's query protocol: a form in, XML out. */
import type { ServiceRequest } from './ask-service.ts'

/** `form` has `Action` and `Version` besides the parameters. */
export function toQueryRequest(
  service: ServiceRequest['service'],
  form: { readonly [name: string]: string },
): ServiceRequest {
  return {
    service,
    path: '/',
    body: new URLSearchParams(form).toString(),
    headers: { accept: 'application/xml', 'content-type': 'application/x-www-form-urlencoded' },
  }
}
