/* A square of cloth, and a tetrahedron whose tip stands out of it: what cuts what, and what is inside. */
#include "cloth.h"

#include <stdio.h>

#define VERTICES 8

int main(void) {
  /* Part 0 is the garment: vertices 0 to 3. Part 1 is the body, a closed surface: vertices 4 to 7. */
  const double x[3 * VERTICES] = {0.1, 0.5, 0.1, 4, 0.5, 0, 0, 0.5, 4, -4, 0.5, -4,
                                  0,   0,   0,   1, 0,   0, 0, 0,   1, 0,  1,   0};
  const uint32_t faces[] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 7, 5, 4, 6, 7, 5, 7, 6};
  const uint16_t parts[VERTICES] = {0, 0, 0, 0, 1, 1, 1, 1};
  const uint8_t is_body[] = {0, 1};
  cloth_outfit_desc desc = {0};
  cloth_outfit *outfit = NULL;
  cloth_outfit_report report;
  cloth_body_surface body;
  uint32_t inside[VERTICES];
  size_t count = 0, bodies = 0, i;
  cloth_error error;

  desc.vertex_count = VERTICES;
  desc.faces = faces;
  desc.face_count = sizeof faces / (3 * sizeof *faces);
  desc.parts = parts;
  desc.is_body = is_body;
  desc.part_count = 2;
  if (cloth_outfit_create(&desc, &outfit, &error) ||
      cloth_outfit_check_f64(outfit, NULL, x, VERTICES, &report, &error) ||
      cloth_outfit_get_vertices_inside(outfit, inside, VERTICES, &count, &error) ||
      cloth_outfit_get_bodies(outfit, &body, 1, &bodies, &error)) {
    fprintf(stderr, "cloth: %s\n", error.text);
    cloth_outfit_destroy(outfit);
    return 1;
  }
  printf("%s: %u edges and faces of cloth and body meet; inside of the %s body:",
         report.is_clean ? "clean" : "not clean", (unsigned)report.intersections.cloth_body,
         body.is_closed ? "closed" : "open");
  for (i = 0; i < count; i++) printf(" vertex %u", (unsigned)inside[i]);
  printf(", %.3f m deep\n", report.deepest_vertex.depth);
  cloth_outfit_destroy(outfit);
  return 0;
}
