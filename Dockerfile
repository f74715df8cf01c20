# The gateway as a container: small, as an unprivileged user, on a read-only file system.
#   docker build -t precis .
#   docker run --read-only -p 127.0.0.1:4020:4020 -e PRECIS_TOKEN -v precis:/data precis
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY eval/package.json eval/
COPY provider/package.json provider/
RUN npm ci
COPY . .
RUN npm run build && npm pack --ignore-scripts && mv precis-*.tgz precis.tgz

FROM node:24-slim
ENV NODE_ENV=production
COPY --from=build /build/precis.tgz /tmp/precis.tgz
RUN npm install --global --omit=dev /tmp/precis.tgz && rm /tmp/precis.tgz && npm cache clean --force \
  && mkdir /data && chown node:node /data
COPY deploy/precis.yaml /etc/precis/precis.yaml
USER node
WORKDIR /data
VOLUME /data
EXPOSE 4020
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4020/_precis/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["precis"]
CMD ["serve", "--config", "/etc/precis/precis.yaml"]
