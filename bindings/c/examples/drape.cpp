// A sheet falls on a ball. Halfway a snapshot goes to a second simulation, which ends with the same bits.
#include "cloth.h"

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

// Errors become exceptions on this side of the boundary.
struct Error : cloth_error {
  void operator()(cloth_status status) const {
    if (status != CLOTH_OK) throw std::runtime_error(text);
  }
};

struct Destroy {
  void operator()(cloth_simulation *simulation) const { cloth_simulation_destroy(simulation); }
};

class Simulation {
 public:
  explicit Simulation(const cloth_simulation_desc &desc) {
    cloth_simulation *made = nullptr;
    check(cloth_simulation_create(&desc, &made, &check));
    handle.reset(made);
  }

  cloth_step_report step(float dt) {
    cloth_step_report report;
    check(cloth_simulation_step(handle.get(), dt, &report, &check));
    return report;
  }

  void move_pin(std::size_t cloth, uint32_t vertex, const float (&target)[3]) {
    check(cloth_simulation_move_pin(handle.get(), cloth, vertex, target, &check));
  }

  std::vector<float> positions() {
    const float *x = nullptr;
    std::size_t vertices = 0;
    check(cloth_simulation_get_positions(handle.get(), &x, &vertices, &check));
    return std::vector<float>(x, x + 3 * vertices);
  }

  std::vector<uint8_t> snapshot() {
    std::size_t count = 0;
    check(cloth_simulation_snapshot(handle.get(), nullptr, 0, &count, &check));
    std::vector<uint8_t> bytes(count);
    check(cloth_simulation_snapshot(handle.get(), bytes.data(), bytes.size(), &count, &check));
    return bytes;
  }

  void restore(const std::vector<uint8_t> &bytes) {
    check(cloth_simulation_restore(handle.get(), bytes.data(), bytes.size(), &check));
  }

  std::size_t intersections() {
    std::size_t count = 0;
    check(cloth_simulation_count_intersections(handle.get(), &count, &check));
    return count;
  }

  uint64_t hash() {
    uint64_t hash = 0;
    check(cloth_simulation_get_hash(handle.get(), &hash, &check));
    return hash;
  }

 private:
  Error check;
  std::unique_ptr<cloth_simulation, Destroy> handle;
};

int main() try {
  // A grid of n x n vertices, 0.5 m wide, half a metre up.
  const uint32_t n = 12;
  std::vector<double> x;
  std::vector<uint32_t> faces;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) {
      const double side = 0.5 / (n - 1);
      x.insert(x.end(), {i * side - 0.25, 0.5, j * side - 0.25});
      if (i + 1 == n || j + 1 == n) continue;
      const uint32_t a = i * n + j, b = a + n;
      faces.insert(faces.end(), {a, a + 1, b, a + 1, b + 1, b});
    }
  const uint32_t pins[] = {0};

  cloth_cloth_desc cloth = {};
  cloth.positions = x.data();
  cloth.vertex_count = n * n;
  cloth.faces = faces.data();
  cloth.face_count = faces.size() / 3;
  cloth.fabric_name = "silk";
  cloth.pins = pins;
  cloth.pin_count = 1;

  cloth_collider_desc ball = {};
  ball.shape = CLOTH_SHAPE_SPHERE;
  ball.radius = 0.15f;
  ball.pose.translation[1] = 0.25f;
  ball.friction = 0.3f;

  cloth_simulation_desc desc = {};
  desc.cloths = &cloth;
  desc.cloth_count = 1;
  desc.colliders = &ball;
  desc.collider_count = 1;
  desc.preset = CLOTH_PRESET_GAME;

  Simulation simulation(desc), second(desc);
  bool certified = true;
  for (int frame = 0; frame < 30; frame++) {
    if (frame == 15) second.restore(simulation.snapshot());
    const float target[] = {-0.25f, 0.5f - 0.005f * frame, -0.25f};
    simulation.move_pin(0, 0, target);
    certified = simulation.step(1.0f / 60).is_certified && certified;
    if (frame < 15) continue;
    second.move_pin(0, 0, target);
    second.step(1.0f / 60);
  }
  std::printf("%s, %zu intersections, the corner is at %.3f m, %s\n",
              certified ? "certified" : "with exceptions", simulation.intersections(),
              simulation.positions()[1],
              simulation.hash() == second.hash() ? "equal bits" : "other bits");
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "cloth: %s\n", error.what());
  return 1;
}
