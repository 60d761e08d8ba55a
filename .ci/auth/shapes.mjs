// Makes `oidc-provider` imitate several providers: the content of tokens, the metadata, and the
// requests that are refused. The source is the documentation of the providers in November 2026.

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { errors } from 'oidc-provider';

export const TENANT = '11111111-2222-3333-4444-555555555555';
export const APP = '66666666-7777-8888-9999-000000000000';
export const CLIENT = 'a-client';
export const SECRET = 'a secret of a desktop app, which is none';
const API = 'https://api.example.com';

/** How each provider differs. `args` are the arguments of the example `providers`. */
export const SHAPES = {
  // No PKCE in the metadata, `resource` is an error, scopes in `scp` have no prefix, `aud` is
  // the app.
  entra: {
    serve: [TENANT, APP],
    login: [TENANT, CLIENT],
    scopes: [`api://${APP}/files.read`],
    announcesPkce: false,
    resource: 'refused',
    without: /assume_s256/,
    payload: (payload) => {
      const { scope, client_id: azp, ...rest } = payload;
      const scp = scope.split(' ').map((it) => it.replace(`api://${APP}/`, '')).join(' ');
      return { ...rest, aud: APP, azp, scp, tid: TENANT, ver: '2.0' };
    },
    header: { typ: 'JWT' },
  },
  // Access tokens are JWTs only if the request has `audience`. `resource` is unknown.
  auth0: {
    serve: ['acme.eu.auth0.com', API],
    login: ['acme.eu.auth0.com', CLIENT, API],
    scopes: ['files:read'],
    announcesPkce: true,
    resource: 'ignored',
    needsAudience: true,
    without: /authorization_parameter/,
    payload: ({ client_id: azp, ...rest }) => ({ ...rest, azp, aud: [API, 'https://acme.eu.auth0.com/userinfo'] }),
    header: { typ: 'JWT' },
  },
  // No PKCE in the metadata, and no `aud` in tokens.
  cognito: {
    serve: ['https://cognito-idp.eu-west-1.amazonaws.com/pool', CLIENT],
    login: ['https://cognito-idp.eu-west-1.amazonaws.com/pool', CLIENT],
    scopes: ['files/read'],
    announcesPkce: false,
    resource: 'ignored',
    without: /assume_s256/,
    // `oidc-provider` requires an audience, so the audience is removed when the payload is
    // serialized.
    payload: (payload) => ({ ...payload, aud: { toJSON: () => undefined }, token_use: 'access', version: 2 }),
    header: { typ: undefined },
  },
  // Opaque tokens, checked with *tokeninfo*. `resource` is an error. `access_type=offline`
  // requests refresh tokens.
  google: {
    serve: [CLIENT],
    login: [CLIENT, SECRET],
    scopes: [],
    announcesPkce: true,
    resource: 'refused',
    secret: SECRET,
    opaque: true,
    without: /without_resource_parameter/,
  },
};

/** A provider of one shape, without dynamic registration. */
export class ShapedIssuer {
  /** The parameters of each authorization request. */
  logins = [];
  /** The names of the issued tokens: `access_token`, `refresh_token`. */
  issued = [];

  static async start(name) {
    const issuer = new ShapedIssuer();
    issuer.shape = SHAPES[name];
    issuer.listener = createServer((request, response) => issuer.callback(request, response));
    await new Promise((done) => issuer.listener.listen(0, '127.0.0.1', done));
    issuer.url = `http://127.0.0.1:${issuer.listener.address().port}`;
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: '1' };
    const provider = new Provider(issuer.url, issuer.#configuration(key));
    provider.use((ctx, next) => issuer.#differ(provider, ctx, next));
    provider.on('grant.success', (ctx) => issuer.issued.push(Object.keys(ctx.body)));
    provider.on('server_error', (ctx, error) => console.log(error.stack));
    issuer.callback = provider.callback();
    return issuer;
  }

  stop() {
    this.listener.closeAllConnections();
    this.listener.close();
  }

  /** Handles requests that the provider treats differently than `oidc-provider`. */
  async #differ(provider, ctx, next) {
    const { shape } = this;
    if (ctx.path === '/tokeninfo') return this.#tokenInfo(provider, ctx);
    if (ctx.path === '/auth') this.logins.push({ ...ctx.query });
    // `oidc-provider` does not support this value.
    if (ctx.query.prompt === 'select_account') ctx.query = without(ctx.query, 'prompt');
    if (shape.resource === 'refused' && ctx.query.resource !== undefined) {
      const to = new URL(ctx.query.redirect_uri);
      to.search = new URLSearchParams({
        error: 'invalid_target', state: ctx.query.state, iss: this.url,
        error_description: 'AADSTS9010010: The resource parameter does not match the requested scopes.',
      });
      return ctx.redirect(to.href);
    }
    if (shape.resource === 'ignored') {
      ctx.query = without(ctx.query, 'resource');
      if (ctx.path === '/token') ctx.request.body = without(await form(ctx), 'resource');
    }
    await next();
    if (ctx.path.includes('/.well-known/') && ctx.body?.issuer) {
      const hidden = shape.announcesPkce ? [] : ['code_challenge_methods_supported'];
      for (const name of ['registration_endpoint', ...hidden]) delete ctx.body[name];
    }
  }

  async #tokenInfo(provider, ctx) {
    const token = await provider.AccessToken.find((await form(ctx)).access_token ?? '');
    ctx.status = token ? 200 : 400;
    ctx.body = token
      ? { azp: token.clientId, aud: token.clientId, sub: token.accountId, scope: token.scope, exp: `${token.exp}` }
      : { error: 'invalid_token' };
  }

  #configuration(key) {
    const { shape } = this;
    const jwt = (audience) => ({
      scope: shape.scopes.join(' '), audience, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } },
    });
    return {
      jwks: { keys: [key] },
      clients: [{
        client_id: CLIENT,
        ...(shape.secret ? { client_secret: shape.secret } : { token_endpoint_auth_method: 'none' }),
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
      }],
      cookies: { keys: [randomBytes(16).toString('hex')] },
      scopes: ['openid', 'offline_access', ...shape.scopes],
      extraParams: ['audience', 'access_type'],
      findAccount: (ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
      pkce: { required: () => true },
      issueRefreshToken: (ctx, client, code) => code.scopes.has('offline_access') || this.logins.at(-1).access_type === 'offline',
      formats: {
        customizers: {
          jwt: (ctx, token, parts) => {
            parts.payload = shape.payload(parts.payload);
            parts.header = { ...parts.header, ...shape.header };
            return parts;
          },
        },
      },
      features: {
        dPoP: { enabled: false },
        devInteractions: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: (ctx) => {
            const { audience } = ctx.oidc.params;
            if (shape.opaque || shape.needsAudience && !audience && !ctx.oidc.entities.AuthorizationCode) return undefined;
            return audience ?? API;
          },
          useGrantedResource: () => true,
          getResourceServerInfo: (ctx, resource) => {
            if (resource !== API) throw new errors.InvalidTarget();
            return jwt(resource);
          },
        },
      },
    };
  }
}

/** Reads the form of a request. */
function form(ctx) {
  return new Promise((done) => {
    let text = '';
    ctx.req.on('data', (data) => { text += data; });
    ctx.req.on('end', () => done(Object.fromEntries(new URLSearchParams(text))));
  });
}

function without(query, name) {
  const { [name]: _, ...rest } = query;
  return rest;
}
