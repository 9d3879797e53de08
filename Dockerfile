# Portico on a small image: not as root, its data in /data (and what several nodes share in /files), the rest never written to.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY bin bin
COPY core core
COPY plugins plugins
COPY templates templates
COPY config config
# The console's page, and the program in one file with its bytecode, which starts in half the time. What is needed to run
# is installed anew: pruning would take Bun along, whose program the package that tests use has moved into itself.
RUN npm run console && npm run build && rm -r plugins/console/page node_modules && npm ci --omit=dev --no-audit --no-fund

FROM node:22-bookworm-slim
ENV NODE_ENV=production PORTICO_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app /app
RUN ln -s /app/bin/portico.mjs /usr/local/bin/portico && chmod 755 bin/portico.mjs && mkdir /data /files && chown node:node /data /files
USER node
# The config in /data is found by its name; without one the built-in default serves. Its data is beside it.
WORKDIR /data
VOLUME /data
EXPOSE 8787
# What restarts an unhealthy container mends no database: it lives, that is all. A start that brings a large database up to date may take minutes.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30m \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8787/livez').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["portico"]
CMD ["serve"]
